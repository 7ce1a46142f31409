package cli

import (
	"fmt"
	"time"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/term"
)

// jsonOperation is something that was done to a session, or taken back.
type jsonOperation struct {
	Op   string `json:"op"`
	ID   string `json:"undoId"`
	Path string `json:"path"`
	At   string `json:"at"`
}

// showOperation prints one line about an operation: its id, kind, time, and where
// the session is, or was.
func showOperation(a *app, o state.Operation, path string) error {
	if a.flags.json {
		return a.emit(jsonOperation{Op: string(o.Op), ID: o.ID, Path: path, At: isoTime(o.At)})
	}
	kind := string(o.Op)
	if kind == "" {
		kind = "?"
	}
	_, err := fmt.Fprintf(a.out, "%s  %-8s  %-10s  %s\n", term.Line(o.ID), term.Line(kind), when(o.At, a.Now()), term.Line(path))
	return err
}

// when is ago for a time that may be unknown.
func when(t, now time.Time) string {
	if t.IsZero() {
		return "?"
	}
	return ago(t, now)
}
