package rpc

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
)

// Codes of errors: those of JSON-RPC 2.0, the one that the Language Server
// Protocol gives a cancelled request, and our own.
const (
	codeParse     = -32700
	codeRequest   = -32600
	codeMethod    = -32601
	codeParams    = -32602
	codeInternal  = -32603
	codeCancelled = -32800

	codeNotFound   = -32001
	codeAmbiguous  = -32002
	codeNotSession = -32003
	codeDamaged    = -32004
	codeRefused    = -32005 // busy or read-only
	codeUnsaved    = -32006
	codeHandle     = -32007
	codeForbidden  = -32008 // the token, or the place, is not for that
	codeLimit      = -32009 // too much at once
	codeAway       = -32010 // the store does not answer
)

// A fault is an error as it goes over the wire.
type fault struct {
	code    int
	message string
	data    entry.JSON // nil for none
}

// Error returns the message.
func (f *fault) Error() string { return f.message }

func (f *fault) json() entry.JSON {
	var o jsonedit.Object
	return o.Int("code", int64(f.code)).String("message", f.message).Add("data", f.data).Value()
}

// badParam says what is wrong with a parameter.
func badParam(name, format string, args ...any) error {
	var o jsonedit.Object
	return &fault{
		code: codeParams, message: fmt.Sprintf("parameter %q: ", name) + fmt.Sprintf(format, args...),
		data: o.String("parameter", name).Value(),
	}
}

func badHandle(name string) error {
	var o jsonedit.Object
	return &fault{
		code: codeHandle, message: fmt.Sprintf("no session is open as %q", name),
		data: o.String("handle", name).Value(),
	}
}

// A late error is one of a call that did its work in memory: the entry is
// there, under its id, and not on disk.
type late struct {
	err    error
	id     entry.ID // "" when there is none
	queued int
}

func (l *late) Error() string { return l.err.Error() }
func (l *late) Unwrap() error { return l.err }

// faultOf says an error of the library in the terms of the wire.
func faultOf(err error) *fault {
	var (
		known     *fault
		published *session.Error
		several   *catalog.Ambiguous
		none      *catalog.NotFound
		badID     *ident.IDError
		text      = err.Error()
		data      jsonedit.Object
	)
	if errors.As(err, &known) {
		return known
	}
	if errors.As(err, &published) {
		text = published.Text
		if published.ID != "" {
			data.String("id", published.ID)
		}
	}
	f := &fault{code: codeOf(err), message: text}
	switch {
	case errors.As(err, &several):
		f.code = codeAmbiguous
		data.Add("candidates", infos(several.Candidates, false))
	case errors.As(err, &none):
		f.code = codeNotFound
		if none.Arg != "" {
			f.message = fmt.Sprintf("Session %q not found.", none.Arg)
		}
	case errors.As(err, &badID):
		f.code = codeParams
		data.String("parameter", "id")
	case f.code == codeUnsaved:
		addLate(&data, err)
	}
	if v := data.Value(); string(v) != "{}" {
		f.data = v
	}
	return f
}

func addLate(data *jsonedit.Object, err error) {
	var l *late
	if !errors.As(err, &l) {
		return
	}
	data.Int("queued", int64(l.queued))
	if l.id != "" {
		data.String("id", l.id)
	}
}

// codeOf sorts what the library's sentinels mean. What is not saved comes
// first: its cause is wrapped beside it and may be any of the others.
func codeOf(err error) int {
	var syntax *jsonl.SyntaxError
	switch {
	case errors.Is(err, session.ErrUnsaved):
		return codeUnsaved
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return codeCancelled
	case errors.Is(err, entry.ErrNotBody):
		return codeParams
	case errors.Is(err, session.ErrClosed):
		return codeHandle
	case errors.Is(err, vfs.ErrLink), errors.Is(err, vfs.ErrOutside):
		return codeForbidden
	case errors.Is(err, session.ErrReadOnly), errors.Is(err, storage.ErrLocked), errors.Is(err, storage.ErrExist):
		return codeRefused
	case errors.Is(err, session.ErrNotSession), errors.Is(err, storage.ErrNotRegular):
		return codeNotSession
	case errors.Is(err, blob.ErrMismatch), errors.Is(err, storage.ErrLost), errors.As(err, &syntax):
		return codeDamaged
	case errors.Is(err, session.ErrNotFound):
		return codeNotFound
	}
	return codeInternal
}
