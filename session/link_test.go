package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/claude"
	"github.com/cambium-dev/cambium/internal/foreign/codex"
	"github.com/cambium-dev/cambium/internal/foreign/opencode"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// secret is in files that no session may have anything of.
const secret = "BEGIN PRIVATE KEY of somebody"

// linked are ways in which a link lies among the artifacts of a session: in dir,
// their directory, or as it. outside is where it leads.
func linked() map[string]func(dir, outside string) error {
	beside := func(dir, name, to string) error {
		return errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700),
			os.WriteFile(filepath.Join(dir, "0.bash.log"), []byte(output), 0o600), os.Symlink(to, filepath.Join(dir, name)))
	}
	return map[string]func(dir, outside string) error{
		"as the directory":          func(dir, outside string) error { return os.Symlink(outside, dir) },
		"as the directory, by ..":   func(dir, outside string) error { return os.Symlink("../outside", dir) },
		"a directory in it":         func(dir, outside string) error { return beside(dir, "keys", outside) },
		"a file in it":              func(dir, outside string) error { return beside(dir, "1.read.log", outside+"/id_rsa") },
		"a directory further below": func(dir, outside string) error { return beside(dir, "a/b", outside+"/deep") },
	}
}

// house is a directory with a session at p/s.jsonl and what nobody may touch at
// outside/.
func house(t *testing.T) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"p/s.jsonl": headerLine + "\n" + userLine + "\n" + answerLine + "\n", "outside/id_rsa": secret, "outside/deep/0.x.log": secret,
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir, filepath.Join(dir, "p/s.jsonl")
}

// secrets returns the files below dir that hold something from outside/, links
// not followed, and fails when outside/ is not as it was.
func secrets(t *testing.T, dir string) (found []string) {
	t.Helper()
	count := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		switch {
		case strings.HasPrefix(path, filepath.Join(dir, "outside")+"/"):
			if count++; string(data) != secret {
				t.Errorf("%s is %q now", path, data)
			}
		case bytes.Contains(data, []byte("PRIVATE")):
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if count != 2 {
		t.Errorf("%d files are outside, want 2", count)
	}
	return found
}

// TestLinkedArtifacts: a fork, a conversion and a move of a session copy nothing
// that a link beside it leads to, say so, and are done all the same.
func TestLinkedArtifacts(t *testing.T) {
	acts := map[string]func(path string, o session.Options) (string, error){
		"fork": func(path string, o session.Options) (string, error) {
			s, err := session.Open(t.Context(), path, o)
			if err != nil {
				return "", err
			}
			_, now, err := s.Fork(t.Context())
			return now, errors.Join(err, s.Close())
		},
		"fork from": func(path string, o session.Options) (string, error) {
			o.Dir = filepath.Join(filepath.Dir(filepath.Dir(path)), "q")
			s, err := session.ForkFrom(t.Context(), path, "/v", o)
			if err != nil {
				return "", err
			}
			return s.Path(), s.Close()
		},
		"convert": func(path string, o session.Options) (string, error) {
			o.ReadOnly = true
			s, err := session.Open(t.Context(), path, o)
			if err != nil {
				return "", err
			}
			over := layout.Overrides{AgentDir: filepath.Join(filepath.Dir(filepath.Dir(path)), "q")}
			done, err := s.Convert(t.Context(), session.ConvertOptions{To: dialect.Pi, Directories: over})
			return done.Path, errors.Join(err, s.Close())
		},
		"move": func(path string, o session.Options) (string, error) {
			o.Dir = filepath.Join(filepath.Dir(filepath.Dir(path)), "q")
			s, err := session.Open(t.Context(), path, o)
			if err != nil {
				return "", err
			}
			err = s.Move(t.Context(), "/v")
			return s.Path(), errors.Join(err, s.Close())
		},
	}
	for name, plant := range linked() {
		for act, do := range acts {
			t.Run(act+", "+name, func(t *testing.T) {
				dir, path := house(t)
				beside := ident.ArtifactDir(path)
				if err := plant(beside, filepath.Join(dir, "outside")); err != nil {
					t.Fatal(err)
				}
				var said bytes.Buffer
				now, err := do(path, vfs.On(session.Options{
					Env: env(dir), Log: slog.New(slog.NewTextHandler(&said, nil)),
				}, errorfs.Light(vfs.OS())))
				if err != nil {
					t.Fatal(err)
				}
				if found := secrets(t, dir); len(found) > 0 {
					t.Errorf("it was copied to %q", found)
				}
				if data, err := os.ReadFile(now); err != nil || now == path || !strings.Contains(string(data), "parentId") {
					t.Errorf("the session at %q holds %q, %v", now, data, err)
				}
				whole := act == "move" && !strings.HasPrefix(name, "as ") // the directory went with all that is in it
				if !whole && (strings.Count(said.String(), "symbolic link") != 1 || !strings.Contains(said.String(), beside)) {
					t.Errorf("it said %q", said.String())
				}
				if strings.HasPrefix(name, "as ") {
					return
				}
				if data, err := os.ReadFile(filepath.Join(ident.ArtifactDir(now), "0.bash.log")); err != nil || string(data) != output {
					t.Errorf("the artifact holds %q, %v", data, err)
				}
			})
		}
	}
}

// TestLinkedArtifactDirectory: a session whose artifacts would lie behind a link
// has none and makes none; a copy is not written behind one.
func TestLinkedArtifactDirectory(t *testing.T) {
	dir, path := house(t)
	outside := filepath.Join(dir, "outside")
	if err := os.Symlink(outside, ident.ArtifactDir(path)); err != nil {
		t.Fatal(err)
	}
	o := vfs.On(session.Options{Env: env(dir)}, errorfs.Light(vfs.OS()))
	s := open(t, path, o)
	if _, _, err := s.NewArtifact(t.Context(), "bash"); !errors.Is(err, vfs.ErrLink) {
		t.Errorf("new artifact: %v", err)
	}
	if at, err := s.Artifact(0); !errors.Is(err, vfs.ErrLink) {
		t.Errorf("artifact is %q, %v", at, err)
	}
	if all, err := s.Artifacts(); !errors.Is(err, vfs.ErrLink) || len(all) > 0 {
		t.Errorf("artifacts are %v, %v", all, err)
	}
	other := filepath.Join(dir, "p/other")
	if err := errors.Join(os.Remove(ident.ArtifactDir(path)), os.Symlink(outside, other), os.Mkdir(ident.ArtifactDir(path), 0o700),
		os.WriteFile(filepath.Join(ident.ArtifactDir(path), "0.bash.log"), []byte(output), 0o600)); err != nil {
		t.Fatal(err)
	}
	_, err := s.Convert(t.Context(), session.ConvertOptions{To: dialect.Pi, Path: other + ".jsonl"})
	if !errors.Is(err, vfs.ErrLink) {
		t.Errorf("convert: %v", err)
	}
	if _, err := os.Lstat(other + ".jsonl"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the conversion is there: %v", err)
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) != 2 {
		t.Errorf("outside are %v, %v", list, err)
	}
	secrets(t, dir)
}

// TestConvertBesideFiles: a conversion that fails takes away what it made, and
// not what was there.
func TestConvertBesideFiles(t *testing.T) {
	dir, path := house(t)
	for name, text := range map[string]string{"p/s/0.a.log": "a", "p/s/1.b.log": "b", "p/other/1.b.log": "mine"} {
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), os.WriteFile(at, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, path, vfs.On(session.Options{Env: env(dir)}, errorfs.Light(vfs.OS())))
	_, err := s.Convert(context.Background(), session.ConvertOptions{To: dialect.Pi, Path: filepath.Join(dir, "p/other.jsonl")})
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("convert: %v", err)
	}
	list, err := os.ReadDir(filepath.Join(dir, "p/other"))
	if err != nil || len(list) != 1 || read(t, filepath.Join(dir, "p/other/1.b.log")) != "mine" {
		t.Errorf("beside it are %v, %v", list, err)
	}
}

// A visited file system has one link that somebody else made.
type visited struct {
	vfs.FS
	link string
}

func (v visited) Lstat(name string) (vfs.Info, error) {
	info, err := v.FS.Lstat(name)
	if name == v.link {
		info.UID = uint32(os.Geteuid()) + 1
	}
	return info, err
}

// TestConvertThroughLinks: a conversion for any agent follows no link of somebody else on the
// way to where it goes, and an own one it does. The same holds for reading it there.
func TestConvertThroughLinks(t *testing.T) {
	programs := []foreign.Program{claude.New(), codex.New(), opencode.New()}
	for _, to := range []dialect.Name{dialect.Pi, dialect.Omp, "claude", "codex", "opencode"} {
		env := func(dir string) layout.Env {
			e := env(dir)
			e.Home = filepath.Join(dir, "home")
			return e
		}
		convert := func(t *testing.T, dir, path, link string) (session.Converted, error) {
			o := foreign.On(session.Options{Env: env(dir)}, foreign.Programs{All: programs, Env: env(dir)})
			fsys := vfs.FS(vfs.OS())
			if link != "" {
				fsys = visited{fsys, link}
			}
			return open(t, filepath.Join(dir, "p/s.jsonl"), vfs.On(o, fsys)).Convert(t.Context(), session.ConvertOptions{To: to, Path: path})
		}
		dir, _ := house(t)
		done, err := convert(t, dir, "", "")
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(spelling.Foreign, to) && to != "opencode" {
			for at := filepath.Dir(done.Path); at != dir; at = filepath.Dir(at) {
				if err := errors.Join(os.Rename(at, at+"-away"), os.Symlink(at+"-away", at)); err != nil {
					t.Fatal(err)
				}
				for _, link := range []string{"", at} {
					o := foreign.On(session.Options{Env: env(dir), ReadOnly: true}, foreign.Programs{All: programs, Env: env(dir)})
					s, err := session.Open(t.Context(), done.Path, vfs.On(o, vfs.FS(visited{vfs.OS(), link})))
					if errors.Is(err, vfs.ErrLink) != (link != "") {
						t.Errorf("%s behind the link %s, of a stranger's %q: %v", to, at, link, err)
					}
					if err == nil {
						if err := s.Close(); err != nil {
							t.Error(err)
						}
					}
				}
				if err := errors.Join(os.Remove(at), os.Rename(at+"-away", at)); err != nil {
					t.Fatal(err)
				}
			}
		}
		below, err := filepath.Rel(dir, done.Path)
		if err != nil {
			t.Fatal(err)
		}
		for at := filepath.Dir(below); at != "."; at = filepath.Dir(at) {
			for _, stranger := range []bool{false, true} {
				t.Run(fmt.Sprint(to, " ", at, " ", stranger), func(t *testing.T) {
					dir, _ := house(t)
					link := filepath.Join(dir, at)
					if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o700), os.Mkdir(filepath.Join(dir, "away"), 0o700), os.Symlink(filepath.Join(dir, "away"), link)); err != nil {
						t.Fatal(err)
					}
					theirs := ""
					if stranger {
						theirs = link
					}
					_, err := convert(t, dir, "", theirs)
					list, _ := os.ReadDir(filepath.Join(dir, "away"))
					if stranger && (err == nil || len(list) > 0) || !stranger && (err != nil || len(list) == 0) {
						t.Errorf("%v, and there lies %v", err, list)
					}
				})
			}
		}
	}
}
