// Package codex reads the sessions of Codex (0.169.0 and before): a file of lines for each
// thread, or several where a thread was taken back or forked by reference.
//
// A thread is one line of entries. What the model is sent becomes messages; what is only shown
// says the same again and is left out. The source of the rules is what the program wrote, and
// what it sent when it went on with a thread.
package codex

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/mosaic"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

const (
	name   = dialect.Name("codex")
	ext    = ".jsonl"
	packed = ".jsonl.zst"
	prefix = "rollout-"
)

type program struct{}

// New returns Codex.
func New() foreign.Program { return program{} }

func (program) Name() dialect.Name { return name }

// home returns the program's directory, "" where it is not known.
func home(env layout.Env) string {
	if env.Getenv != nil {
		if dir := env.Getenv("CODEX_HOME"); filepath.IsAbs(dir) {
			return dir
		}
	}
	if !filepath.IsAbs(env.Home) {
		return ""
	}
	return filepath.Join(env.Home, ".codex")
}

func (program) Folders(_ context.Context, fsys vfs.FS, env layout.Env, unread func(string, error)) (dirs []string) {
	root := home(env)
	if root == "" {
		return nil
	}
	list := func(dir string) []string {
		names, err := fsys.Names(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && unread != nil && !notDir(fsys, dir) {
			unread(dir, err)
		}
		return names
	}
	sessions := filepath.Join(root, "sessions")
	for _, year := range list(sessions) {
		for _, month := range list(filepath.Join(sessions, year)) {
			for _, day := range list(filepath.Join(sessions, year, month)) {
				dirs = append(dirs, filepath.Join(sessions, year, month, day))
			}
		}
	}
	archived := filepath.Join(root, "archived_sessions")
	if len(list(archived)) > 0 {
		dirs = append(dirs, archived)
	}
	return dirs
}

// notDir reports whether something is there that is no directory.
func notDir(fsys vfs.FS, name string) bool {
	info, err := fsys.Stat(name)
	return err == nil && !info.Mode.IsDir()
}

func (program) Roots(env layout.Env) []string {
	if root := home(env); root != "" {
		return []string{filepath.Join(root, "sessions"), filepath.Join(root, "archived_sessions")}
	}
	return nil
}

func (program) Owns(name string, env layout.Env) bool {
	root := home(env)
	rest, ok := strings.CutPrefix(name, root+string(filepath.Separator))
	if root == "" || !ok || !strings.HasSuffix(name, ext) && !strings.HasSuffix(name, packed) {
		return false
	}
	parts := strings.Split(filepath.ToSlash(rest), "/")
	return len(parts) == 5 && parts[0] == "sessions" || len(parts) == 2 && parts[0] == "archived_sessions"
}

// fileName takes the name of a thread's file apart: the thread, and the segment where it was
// taken back, "" for its first file.
var fileName = regexp.MustCompile(`^rollout-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-([0-9a-fA-F-]{36})(?:_([0-9a-fA-F-]{36}))?\.jsonl(?:\.zst)?$`)

// Survey leaves out files of a thread of which a newer one lies in the same directory: they
// are what was taken back.
func (program) Survey(_ context.Context, fsys vfs.FS, dir string, to *vfs.Roll) error {
	var all vfs.Roll
	for _, suffix := range []string{ext, packed} {
		var some vfs.Roll
		if err := vfs.Survey(fsys, dir, suffix, &some); err != nil {
			return err
		}
		for n := range some.Len() {
			all.Add(some.Name(n), *some.At(n))
		}
	}
	newest := map[string]string{}
	for n := range all.Len() {
		if m := fileName.FindStringSubmatch(string(all.Name(n))); m != nil && string(all.Name(n)) > newest[m[1]] {
			newest[m[1]] = string(all.Name(n))
		}
	}
	for n := range all.Len() {
		file := string(all.Name(n))
		if m := fileName.FindStringSubmatch(file); m != nil && newest[m[1]] == file {
			to.Add(all.Name(n), *all.At(n))
		}
	}
	return nil
}

func (program) Stat(_ context.Context, fsys vfs.FS, name string) (source.State, error) {
	return source.Disk(fsys).Stat(context.Background(), name)
}

func (program) Read(ctx context.Context, fsys vfs.FS, name string) (*mosaic.Mosaic, error) {
	r := &reader{ctx: ctx, fs: fsys, taken: map[string]int{}, names: map[string]string{}, read: map[string]bool{}}
	r.path = filepath.ToSlash(name)
	if err := r.thread(name); err != nil {
		r.w.Lines.Abandon()
		return nil, err
	}
	return r.w.Lines.Mosaic(r.header()), nil
}
