//go:build !linux

package natstest

import "errors"

// Freeze fails: only Linux says when all threads of a process stand still.
func (s *Server) Freeze() error { return errors.ErrUnsupported }

// Thaw has nothing to undo.
func (s *Server) Thaw() error { return errors.ErrUnsupported }
