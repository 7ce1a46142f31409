package exchange_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// A machine is a home of its own, with a state directory.
type machine struct {
	home, state string
	fsys        vfs.FS
}

func newMachine(t testing.TB, name string) *machine {
	t.Helper()
	return machineIn(t, t.TempDir(), name)
}

func machineIn(t testing.TB, dir, name string) *machine {
	t.Helper()
	m := &machine{home: filepath.Join(dir, name), state: filepath.Join(dir, "state-"+name)}
	if err := os.MkdirAll(m.home, 0o700); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *machine) env() layout.Env { return layout.Env{Home: m.home, Cwd: m.home} }

// read reads a file that the machine has.
func (m *machine) read(t testing.TB, path string) []byte {
	t.Helper()
	if m.fsys == nil {
		return read(t, path)
	}
	return readOn(t, m.fsys, path)
}

func (m *machine) side() exchange.Side {
	return vfs.On(exchange.Homes(m.env(), layout.Overrides{}), m.fsys)
}

func (m *machine) sync(there exchange.Side, o exchange.Options) (exchange.Report, []exchange.Failure, error) {
	var failed []exchange.Failure
	o.State = m.state
	if vfs.Of(o) == nil {
		o = vfs.On(o, m.fsys)
	}
	o.Failed = func(f exchange.Failure) { failed = append(failed, f) }
	rep, err := exchange.Run(context.Background(), m.side(), there, o)
	return rep, failed, err
}

// light is the file system of tests in which no machine crashes and no other
// program has the files open.
func light() vfs.FS { return errorfs.Light(vfs.OS()) }

// mustSync syncs and expects that all could be united.
func (m *machine) mustSync(t testing.TB, there exchange.Side) exchange.Report {
	t.Helper()
	rep, failed, err := m.sync(there, exchange.Options{})
	if err != nil || len(failed) > 0 {
		t.Fatalf("sync: %v, failed %v", err, failed)
	}
	return rep
}

// write writes a session file of an agent and returns its path.
func (m *machine) write(t testing.TB, agent, project, base string, data []byte) string {
	t.Helper()
	p := places.For(agent, m.env(), layout.Overrides{})
	path := filepath.Join(p.Sessions, project, base)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// files returns all session files below a directory.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, ident.Ext) {
			all = append(all, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// only returns the one session file below a directory.
func only(t testing.TB, dir string) string {
	t.Helper()
	all := files(t, dir)
	if len(all) != 1 {
		t.Fatalf("%d session files in %s, want 1: %v", len(all), dir, all)
	}
	return all[0]
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// entries returns the lines behind the header, sorted.
func entries(t testing.TB, data []byte) []string {
	t.Helper()
	_, list, _, err := session.ParseEntries(data)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]string, list.Len())
	for i := range all {
		line, err := list.Load(i)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = string(bytes.TrimSpace(line))
	}
	slices.Sort(all)
	return all
}

// stamps describes every file below a directory: path, size, times, bytes.
func stamps(t testing.TB, dirs ...string) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			fmt.Fprintln(&b, p, info.Mode(), info.Size(), info.ModTime().UnixNano())
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	return b.String()
}

func line(id, parent, at, text string) string {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-01T00:00:%sZ","message":{"role":"user","content":%q}}`, id, p, at, text)
}

func header(agent, id, cwd string) string {
	return fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-01-01T00:00:00.000Z","cwd":%q}`, id, cwd)
}

func text(lines ...string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }
