//go:build unix

package shellhook_test

import (
	"context"

	"github.com/cambium-dev/cambium/replay"
)

// still is a driver that does nothing.
type still struct{}

func (still) Stop(context.Context) error                             { return nil }
func (still) Remember() func()                                       { return func() {} }
func (still) SetSessionID(string)                                    {}
func (still) ReplaceMessages(context.Context, *replay.Context) error { return nil }
func (still) SetModel(context.Context, replay.Model) error           { return nil }
func (still) SetThinking(context.Context, string) error              { return nil }
