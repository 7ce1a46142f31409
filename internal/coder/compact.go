package coder

import (
	"context"

	"github.com/cambium-dev/cambium/message"
)

// compactIfDue compacts the session when it has grown too long for the model.
func (c *Coder) compactIfDue(context.Context) {}

// recoverFrom compacts the session when the model has said that it is too long,
// and reports whether the model is to be asked again.
func (c *Coder) recoverFrom(context.Context, *message.Assistant) bool { return false }
