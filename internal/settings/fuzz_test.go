package settings_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/cambium-dev/cambium/internal/model"
	"github.com/cambium-dev/cambium/internal/settings"
)

// Whatever a file holds, there are settings that can be worked with, or an error
// with a place in the file.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("{}"))
	for data := range refused() {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, _, err := settings.Parse(data)
		if err != nil {
			var e *settings.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v", err)
			}
			lines := bytes.Split(data, []byte("\n"))
			if e.Line < 1 || e.Line > len(lines) || e.Byte < 1 || e.Byte > len(lines[e.Line-1])+1 {
				t.Fatalf("line %d, byte %d of %q", e.Line, e.Byte, data)
			}
			if bytes.ContainsAny([]byte(err.Error()), "\x00\x1b\n\r") {
				t.Fatalf("error %q has control characters", err)
			}
			return
		}
		if s.Retry.Tries < 1 || s.Retry.BaseDelay < 0 || s.Retry.MaxDelay < 0 || s.ToolTimeout < 0 {
			t.Fatalf("settings %+v", s)
		}
		for _, h := range s.Hooks {
			if h.Command == "" || h.Event == "" || h.Timeout < 0 {
				t.Fatalf("hook %+v", h)
			}
		}
		for _, p := range s.Providers {
			if p.Name == "" {
				t.Fatal("a provider without a name")
			}
		}
		for _, m := range model.New(s.Providers, nil).All() {
			if m.ID == "" || m.API == "" || m.Window < 0 || m.MaxOutput < 0 {
				t.Fatalf("model %+v", m)
			}
		}
	})
}
