package serve

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/layout"
)

// errOutside is what a client is told of a path that it may not use: the same,
// whether there is anything or not.
type errOutside struct{ path string }

func (e errOutside) Error() string {
	return fmt.Sprintf("path %q is not one of a session that this server shows", e.path)
}

// roots are the directories in which a client over HTTP may name sessions.
type roots struct {
	dirs []string // absolute and clean
	// links says that there may be links: the paths are of the local disk.
	links bool
}

// homes returns the directories of sessions of all agents.
func homes(o *Options) []string {
	var all []string
	for _, name := range layout.Names() {
		over := layout.Overrides{}
		if o.RPC.Agent == "" || string(o.RPC.Agent) == name {
			over.SessionDir = o.RPC.SessionDir
		}
		if string(o.RPC.Agent) == name {
			over.AgentDir = o.RPC.AgentDir
		}
		p := layout.For(name, o.RPC.Env, over)
		all = append(all, p.Sessions, p.Flat, p.Former)
	}
	return all
}

func newRoots(o *Options) *roots {
	r := &roots{links: o.RPC.Store == nil}
	for _, dir := range append(homes(o), o.Roots...) {
		if filepath.IsAbs(dir) {
			r.dirs = append(r.dirs, filepath.Clean(dir))
		}
	}
	return r
}

// allow says whether a client may use a path, absolute and clean: a directory
// in the roots, or one of them, or what may be a session's file in them, by its
// name. Links count as where they lead.
func (r *roots) allow(path string, dir bool) error {
	refused := errOutside{path}
	if strings.IndexByte(path, 0) >= 0 || !dir && filepath.Ext(path) != layout.Ext {
		return refused
	}
	for _, root := range r.dirs {
		if !within(root, path, dir) {
			continue
		}
		if !r.links {
			return nil
		}
		real, err := realPath(path)
		if err != nil {
			return refused
		}
		realRoot, err := realPath(root)
		if err == nil && within(realRoot, real, dir) && (dir || filepath.Ext(real) == layout.Ext) {
			return nil
		}
	}
	return refused
}

// within reports whether path lies in root, or, for a directory, is it.
func within(root, path string, dir bool) bool {
	if path == root {
		return dir
	}
	return strings.HasPrefix(path, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
}

var errLink = errors.New("a link that leads nowhere")

// realPath returns where a path leads: what is not there yet counts as it is
// named. A link that leads nowhere is an error: what is made there would be made
// where it leads.
func realPath(path string) (string, error) {
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if _, there := os.Lstat(at); there == nil || at == filepath.Dir(at) {
			return "", errLink
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
