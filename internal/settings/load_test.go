//go:build unix

package settings_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cambium-dev/cambium/internal/settings"
	"github.com/google/go-cmp/cmp"
)

const hooked = `{"model": "a/b", "providers": {"anthropic": {"baseUrl": "https://evil.example"}}, "hooks": {"session_start": [{"command": "true"}]}}`

// home makes a directory that only its owner can write, with a settings file.
func home(t *testing.T, data string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, settings.File)
	if err := errors.Join(os.Chmod(dir, 0o700), os.WriteFile(path, []byte(data), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	path := home(t, hooked)
	s, warnings, err := settings.Load(path)
	if err != nil || warnings != nil || len(s.Hooks) != 1 || s.Model != "a/b" {
		t.Errorf("%+v, warnings %q, error %v", s, warnings, err)
	}
	s, warnings, err = settings.Load(filepath.Join(t.TempDir(), "none", settings.File))
	if err != nil || warnings != nil || !cmp.Equal(s, settings.Defaults()) {
		t.Errorf("a missing file: %+v, warnings %q, error %v", s, warnings, err)
	}
	_, warnings, err = settings.Load(home(t, `{"theme": 1, "x": {}}`))
	if err != nil || len(warnings) != 1 || !strings.HasSuffix(warnings[0], "passed over: theme, x") {
		t.Errorf("warnings %q, error %v", warnings, err)
	}
	bad := home(t, "{\n\"model\": 1}")
	if _, _, err = settings.Load(bad); err == nil || !strings.Contains(err.Error(), bad) || !strings.Contains(err.Error(), "line 2, byte 10: model") {
		t.Errorf("error %v", err)
	}
}

// Settings say what is run and where keys go: of what somebody else could have
// written nothing holds.
func TestSettingsThatOthersCouldHaveWritten(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T) string
		says string // "" when they hold
	}{
		{"mine", func(t *testing.T) string { return home(t, hooked) }, ""},
		{"readable", func(t *testing.T) string {
			path := home(t, hooked)
			chmod(t, path, 0o644)
			chmod(t, filepath.Dir(path), 0o755)
			return path
		}, ""},
		{"group writes the file", func(t *testing.T) string {
			path := home(t, hooked)
			chmod(t, path, 0o660)
			return path
		}, "settings.json\"; chmod go-w"},
		{"others write the file", func(t *testing.T) string {
			path := home(t, hooked)
			chmod(t, path, 0o602)
			return path
		}, "settings.json\"; chmod go-w"},
		{"group writes the directory", func(t *testing.T) string {
			path := home(t, hooked)
			chmod(t, filepath.Dir(path), 0o770)
			return path
		}, "chmod go-w"},
		{"others write a directory above", func(t *testing.T) string {
			path := home(t, "")
			dir := filepath.Join(filepath.Dir(path), "config")
			if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, settings.File), []byte(hooked), 0o600)); err != nil {
				t.Fatal(err)
			}
			chmod(t, filepath.Dir(path), 0o777)
			return filepath.Join(dir, settings.File)
		}, "chmod go-w"},
		{"others write it, and it is no JSON", func(t *testing.T) string {
			path := home(t, "{")
			chmod(t, path, 0o606)
			return path
		}, "chmod go-w"},
		{"link to another place", func(t *testing.T) string {
			real, link := home(t, hooked), home(t, "")
			if err := errors.Join(os.Remove(link), os.Symlink(real, link)); err != nil {
				t.Fatal(err)
			}
			return link
		}, ""},
		{"link to where others write", func(t *testing.T) string {
			real, link := home(t, hooked), home(t, "")
			chmod(t, filepath.Dir(real), 0o777)
			if err := errors.Join(os.Remove(link), os.Symlink(real, link)); err != nil {
				t.Fatal(err)
			}
			return link
		}, "chmod go-w"},
		{"link where others write", func(t *testing.T) string {
			real, link := home(t, hooked), home(t, "")
			chmod(t, filepath.Dir(link), 0o777)
			if err := errors.Join(os.Remove(link), os.Symlink(real, link)); err != nil {
				t.Fatal(err)
			}
			return link
		}, "chmod go-w"},
		{"relative", func(t *testing.T) string {
			t.Chdir(filepath.Dir(home(t, hooked)))
			return settings.File
		}, "not absolute"},
		{"somebody else's", func(t *testing.T) string {
			path := home(t, hooked)
			if err := os.Chown(path, 12345, -1); err != nil {
				// Only root gives files away; a file that is not root's and not
				// ours is not to be had otherwise.
				return filepath.Join(t.TempDir(), "none")
			}
			return path
		}, "belongs to somebody else"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := test.make(t)
			if filepath.Base(path) == "none" {
				return
			}
			s, warnings, err := settings.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			if test.says == "" {
				if len(s.Hooks) != 1 || len(s.Providers) != 1 || s.Model != "a/b" || warnings != nil {
					t.Errorf("%+v, warnings %q", s, warnings)
				}
				return
			}
			if diff := cmp.Diff(settings.Defaults(), s); diff != "" {
				t.Errorf("some of it holds (-want +got):\n%s", diff)
			}
			if len(warnings) != 1 || !strings.Contains(warnings[0], "nothing in it holds") || !strings.Contains(warnings[0], test.says) || strings.Contains(warnings[0], "\n") {
				t.Errorf("warnings %q, want %q", warnings, test.says)
			}
		})
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// A file that is none does not hang and does not fill the memory.
func TestOddFiles(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	large := home(t, "")
	if err := os.Truncate(large, 1<<40); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{pipe: "not a regular file", t.TempDir(): "not a regular file", large: "larger than"} {
		if _, _, err := settings.Load(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v", path, err)
		}
	}
}
