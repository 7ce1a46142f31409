// Package claude reads the sessions of Claude Code (2.1.330 and before): one file of records
// for each session, and one for each subagent beside it.
//
// A record that says which one it follows is an entry, or a part of one: the lines of one
// answer become one entry, with the results of its tools behind it. Its entry has the
// record's own id, and whatever of the record has no place in an entry is in its member
// "claude". The source of the rules is what the program wrote, and what it sent when it went
// on with a session.
package claude

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/mosaic"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

const (
	name = dialect.Name("claude")
	// ext ends the names of session files.
	ext = ".jsonl"
	// agents is the folder of the subagents of a session, in the folder beside its file.
	agents = "subagents"
	// agentPrefix begins the names of their files.
	agentPrefix = "agent-"
)

// program is Claude Code.
type program struct{}

// New returns Claude Code.
func New() foreign.Program { return program{} }

func (program) Name() dialect.Name { return name }

// projects returns the directory of the folders of all working directories, "" where the
// home is not known.
func projects(env layout.Env) string {
	if env.Getenv != nil {
		if dir := env.Getenv("CLAUDE_CONFIG_DIR"); filepath.IsAbs(dir) {
			return filepath.Join(dir, "projects")
		}
	}
	if !filepath.IsAbs(env.Home) {
		return ""
	}
	return filepath.Join(env.Home, ".claude", "projects")
}

func (program) Folders(_ context.Context, fsys vfs.FS, env layout.Env, unread func(string, error)) (dirs []string) {
	root := projects(env)
	if root == "" {
		return nil
	}
	list := func(dir string) []string {
		names, err := fsys.Names(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && unread != nil {
			unread(dir, err)
		}
		return names
	}
	for _, project := range list(root) {
		dir := filepath.Join(root, project)
		names, err := fsys.Names(dir)
		if err != nil {
			continue // a file, or what the survey says of it
		}
		dirs = append(dirs, dir)
		for _, name := range names {
			if strings.HasSuffix(name, ext) || strings.Count(name, "-") != 4 {
				continue // only the folder of a session has the name of one
			}
			if sub := filepath.Join(dir, name, agents); len(list(sub)) > 0 {
				dirs = append(dirs, sub)
			}
		}
	}
	return dirs
}

func (program) Roots(env layout.Env) []string {
	if root := projects(env); root != "" {
		return []string{root}
	}
	return nil
}

func (program) Owns(name string, env layout.Env) bool {
	root := projects(env)
	if root == "" || !strings.HasSuffix(name, ext) {
		return false
	}
	rest, ok := strings.CutPrefix(name, root+string(filepath.Separator))
	if !ok {
		return false
	}
	parts := strings.Split(filepath.ToSlash(rest), "/")
	return len(parts) == 2 || len(parts) == 4 && parts[2] == agents
}

func (program) Survey(_ context.Context, fsys vfs.FS, dir string, to *vfs.Roll) error {
	return vfs.Survey(fsys, dir, ext, to)
}

func (program) Stat(_ context.Context, fsys vfs.FS, name string) (source.State, error) {
	return source.Disk(fsys).Stat(context.Background(), name)
}

func (program) Read(ctx context.Context, fsys vfs.FS, name string) (*mosaic.Mosaic, error) {
	f, err := fsys.Open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, err
	}
	r := newReader(ctx, f, info.Size, filepath.ToSlash(name))
	r.title = named(fsys, name)
	return r.read()
}

// maxTitle is how much of the file of a title is read, in bytes.
const maxTitle = 64 << 10

// named returns what the file of a title beside a session says.
func named(fsys vfs.FS, name string) []byte {
	f, err := fsys.Open(filepath.Join(strings.TrimSuffix(name, ext), "custom-title.json"), os.O_RDONLY)
	if err != nil {
		return nil // most have none
	}
	defer func() { _ = f.Close() }() // nothing was written
	text := make([]byte, maxTitle)
	n, _ := f.ReadAt(text, 0)
	return text[:n]
}
