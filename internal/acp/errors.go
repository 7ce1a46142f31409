package acp

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/session"
	"github.com/coder/acp-go-sdk"
)

// ErrBusy: a session that others have open is not to be opened; what
// Options.Session.IfBusy returns wraps it.
var ErrBusy = errors.New("another program has the session open")

// Codes of errors: those of JSON-RPC 2.0 and of the protocol, and some that
// `cambium rpc` has, too.
const (
	codeParse     = -32700
	codeRequest   = -32600
	codeParams    = -32602
	codeInternal  = -32603
	codeCancelled = -32800

	codeAuth       = -32000 // no model can be asked: there is no key
	codeNotFound   = -32002
	codeNotSession = -32003
	codeRefused    = -32005 // busy, read-only, or of another project
	codeUnsaved    = -32006
	codeAway       = -32010 // the store does not answer
)

// badParams says what is wrong with the parameters of a call.
func badParams(format string, args ...any) error {
	return &acp.RequestError{Code: codeParams, Message: fmt.Sprintf(format, args...)}
}

// refused says why a call is not done, and what to do instead.
func refused(todo, format string, args ...any) error {
	e := &acp.RequestError{Code: codeRefused, Message: fmt.Sprintf(format, args...)}
	if todo != "" {
		e.Data = map[string]any{"hint": todo}
	}
	return e
}

// fault is an error as it goes over the wire.
func fault(err error) *acp.RequestError {
	var (
		known     *acp.RequestError
		none      *catalog.NotFound
		ambiguous *catalog.Ambiguous
	)
	e := &acp.RequestError{Code: codeInternal, Message: err.Error()}
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &ambiguous):
		var paths []string
		for _, c := range ambiguous.Candidates {
			paths = append(paths, c.Path)
		}
		e.Code, e.Data = codeRefused, map[string]any{"candidates": paths, "hint": "name one of them by its path"}
	case errors.As(err, &none):
		e.Code = codeNotFound
	case errors.Is(err, coder.ErrBusy):
		e.Code, e.Data = codeRefused, map[string]any{"hint": "cancel it first"}
	case errors.Is(err, coder.ErrNoModel), errors.Is(err, model.ErrNoKey):
		e.Code, e.Data = codeAuth, map[string]any{"hint": "set ANTHROPIC_API_KEY or OPENAI_API_KEY where the editor starts cambium, or name a server of your own in the settings"}
	case errors.Is(err, session.ErrUnsaved):
		e.Code, e.Data = codeUnsaved, map[string]any{"hint": "make room or repair the disk, then prompt again"}
	case errors.Is(err, session.ErrReadOnly), errors.Is(err, ErrBusy):
		e.Code = codeRefused
	case errors.Is(err, session.ErrNotSession):
		e.Code, e.Data = codeNotSession, map[string]any{"hint": "`cambium doctor` looks what can be saved"}
	case errors.Is(err, session.ErrNotFound):
		e.Code = codeNotFound
	case errors.Is(err, context.Canceled):
		e.Code = codeCancelled
	}
	return e
}
