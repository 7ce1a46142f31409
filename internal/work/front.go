package work

import (
	"context"
	"fmt"
	"log/slog"
)

// A Note is what is worth knowing about a path and no error; the path may be "".
type Note struct{ Path, Text string }

// String returns a note as people read it, not safe for a terminal.
func (n Note) String() string {
	if n.Path == "" {
		return n.Text
	}
	return fmt.Sprintf("%q: %s", n.Path, n.Text)
}

// A Front is what a person works through. A function that is nil tells nobody, or
// finds nobody to ask.
type Front struct {
	// Note is told what is worth knowing. Several goroutines may call it.
	Note func(Note)
	// Wait shows that something is being done, until stop is called.
	Wait func(label string) (stop func())
	// Progress shows how much of something is done, until end is called.
	Progress func(label string) (step func(done, total int), end func())
	// Asks reports whether a person can be asked.
	Asks func() bool
	// Way asks what to do with a session that others have open.
	Way func(context.Context, *Busy) (Way, error)
	// Leave asks whether to take a session from its place all the same that others
	// have open; what says what is to be done ("move it").
	Leave func(ctx context.Context, open *Busy, what string) (bool, error)
	// Foreign asks what to do with a session of another project.
	Foreign func(context.Context, *OtherProject) (Whither, error)
	// Place asks whether to work in the directory that a session names, or, if that is
	// unfit, in this one.
	Place func(context.Context, *Elsewhere) (bool, error)
	// House asks where to move a session whose directory is gone; ok is false for
	// nowhere.
	House func(ctx context.Context, t Target, all []House) (h House, ok bool, err error)
}

func (f *Front) asks() bool { return f.Asks != nil && f.Asks() }

func (f *Front) wait(label string) (stop func()) {
	if f.Wait == nil {
		return func() {}
	}
	return f.Wait(label)
}

func (f *Front) progress(label string) (step func(done, total int), end func()) {
	if f.Progress == nil {
		return func(int, int) {}, func() {}
	}
	return f.Progress(label)
}

func (l *Library) note(path, text string) {
	if l.front.Note != nil {
		l.front.Note(Note{path, text})
	}
}

// Log returns a log whose warnings and errors are notes.
func (l *Library) Log() *slog.Logger { return slog.New(notes{l, true}) }

// warnings is Log without the errors: those of a session are returned as well.
func (l *Library) warnings() *slog.Logger { return slog.New(notes{l, false}) }

// notes makes notes of the warnings that are logged, and of the errors if they are
// wanted.
type notes struct {
	l      *Library
	errors bool
}

// Enabled says which levels are told.
func (n notes) Enabled(_ context.Context, level slog.Level) bool {
	return level == slog.LevelWarn || n.errors && level > slog.LevelWarn
}

// Handle tells one record.
func (n notes) Handle(_ context.Context, r slog.Record) error {
	text, path := r.Message, ""
	r.Attrs(func(attr slog.Attr) bool {
		if attr.Key == "path" {
			path = attr.Value.String()
		} else {
			text += ": " + attr.Value.String()
		}
		return true
	})
	n.l.note(path, text)
	return nil
}

// WithAttrs returns n: sessions add no attributes.
func (n notes) WithAttrs([]slog.Attr) slog.Handler { return n }

// WithGroup returns n: sessions make no groups.
func (n notes) WithGroup(string) slog.Handler { return n }
