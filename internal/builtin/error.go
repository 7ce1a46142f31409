package builtin

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/settings"
	"github.com/cambium-dev/cambium/internal/work"
)

// A What says what is wrong.
type What int

// What may be wrong.
const (
	BadSettings  What = iota // the settings cannot be taken
	UnknownModel             // there is no such model, or there are several
	BadLevel                 // there is no such thinking level
	BadTools                 // there is no such tool
	NoKey                    // the model cannot be asked: its key is missing
	NoModel                  // there is no model that can be asked
)

// An Error says what is wrong with the settings, or with what a person named.
type Error struct {
	What What
	// Path and Line say where in the settings it is, "" and 0 if it is not there.
	Path string
	Line int
	// Settings says of an unknown model that the settings name it.
	Settings bool
	Err      error
}

// Error says what is wrong.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// A Stays error says that a person wants a session to stay where it is, whose
// directory is gone. It wraps [work.ErrStays].
type Stays struct{ work.Target }

// Error says which session.
func (e *Stays) Error() string {
	return fmt.Sprintf("the directory of session %q is gone, and it was not moved", e.ID)
}

// Unwrap returns work.ErrStays.
func (e *Stays) Unwrap() error { return work.ErrStays }

// SettingsFile is the file with the user's settings.
func SettingsFile(l *work.Library) string {
	return filepath.Join(places.Own(l.Env).Config, settings.File)
}

// Settings reads the user's settings. What is odd about them is noted. The error is an
// [*Error].
func Settings(l *work.Library, note func(path, text string)) (settings.Settings, error) {
	path := SettingsFile(l)
	set, warnings, err := settings.Load(path)
	for _, w := range warnings {
		note("", w)
	}
	if err == nil {
		return set, nil
	}
	e := &Error{What: BadSettings, Path: path, Err: err}
	var wrong *settings.Error
	if errors.As(err, &wrong) {
		e.Line, e.Err = wrong.Line, wrong
	}
	return set, e
}

// Models returns the models that the settings and the environment know.
func Models(l *work.Library, set settings.Settings) *model.Registry {
	return model.New(set.Providers, l.Env.Getenv)
}

// noModel says that nobody can be asked.
func noModel() error { return &Error{What: NoModel, Err: coder.ErrNoModel} }
