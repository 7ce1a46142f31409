package builtin_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/builtin"
	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/layout"
)

// options are those of an agent in an empty home, with variables.
func options(t *testing.T, vars map[string]string) builtin.Options {
	t.Helper()
	home := scratch.OwnDir(t)
	lookup := func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
	env := layout.Env{
		Home: home, Cwd: home, Getenv: func(name string) string { return vars[name] }, LookupEnv: lookup,
		Exists: func(p string) bool { _, err := os.Stat(p); return err == nil },
		Real:   func(p string) (string, bool) { p, err := filepath.EvalSymlinks(p); return p, err == nil },
	}
	l := work.New(work.Machine{Env: env, Now: time.Now}, work.Front{})
	l.Dir, l.NoIndex = home, true
	t.Cleanup(l.Close)
	return builtin.Options{
		Library: l, Note: func(path, text string) { t.Errorf("%s: %s", path, text) },
		Environ: func() []string { return nil }, Tell: func(coder.Event) {}, Now: time.Now,
	}
}

// TestNewRefuses: what a person names that is not there is said, before a session is
// opened.
func TestNewRefuses(t *testing.T) {
	for _, test := range []struct {
		wishes builtin.Wishes
		want   builtin.What
	}{
		{builtin.Wishes{Model: "no-such-model"}, builtin.UnknownModel},
		{builtin.Wishes{Thinking: "sometimes"}, builtin.BadLevel},
		{builtin.Wishes{Tools: []string{"hammer"}}, builtin.BadTools},
	} {
		o := options(t, nil)
		o.Wishes = test.wishes
		_, err := builtin.New(o)
		var wrong *builtin.Error
		if !errors.As(err, &wrong) || wrong.What != test.want {
			t.Errorf("%+v: %v, want %d", test.wishes, err, test.want)
		}
	}
}

// TestSettings: settings that cannot be taken say where.
func TestSettings(t *testing.T) {
	o := options(t, nil)
	path := builtin.SettingsFile(o.Library)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{\n\"model\": 7}"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := builtin.New(o)
	var wrong *builtin.Error
	if !errors.As(err, &wrong) || wrong.What != builtin.BadSettings || wrong.Path != path {
		t.Errorf("settings with a number for a model: %v", err)
	}
}

// TestUsable: a new session needs a model that can be asked, and is begun with it.
func TestUsable(t *testing.T) {
	without, err := builtin.New(options(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	var wrong *builtin.Error
	if err := without.Usable(builtin.Which{}); !errors.As(err, &wrong) || wrong.What != builtin.NoModel {
		t.Errorf("without a key: %v", err)
	}
	b, err := builtin.New(options(t, map[string]string{"ANTHROPIC_API_KEY": "k"}))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Usable(builtin.Which{}); err != nil || b.Usual == nil {
		t.Errorf("with a key: %v, %v", b.Usual, err)
	}
	which := builtin.Which{GoOnOptions: work.GoOnOptions{By: work.ByChat}, Asks: true, Makes: true}
	if err := b.Start(t.Context(), which); err != nil {
		t.Fatal(err)
	}
	if b.Path == "" || b.Dir == "" {
		t.Errorf("started in %q with %q", b.Dir, b.Path)
	}
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
