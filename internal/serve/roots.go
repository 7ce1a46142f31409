package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/vfs"
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
	// fs reaches what is in the directories, which it holds open, and where sessions
	// keep what else is theirs. It follows no link in any of them. nil when the
	// sessions are in a store.
	fs      vfs.FS
	release func()
}

// placesOf returns where the agents keep their things.
func placesOf(o *Options) []places.Place {
	var all []places.Place
	for _, name := range places.Names() {
		over := layout.Overrides{}
		if o.RPC.Agent == "" || string(o.RPC.Agent) == name {
			over.SessionDir = o.RPC.SessionDir
		}
		if string(o.RPC.Agent) == name {
			over.AgentDir = o.RPC.AgentDir
		}
		all = append(all, places.For(name, o.RPC.Env, over))
	}
	return all
}

func newRoots(o *Options) *roots {
	r := &roots{release: func() {}}
	homes := placesOf(o)
	for _, p := range homes {
		r.dirs = append(r.dirs, p.Sessions, p.Flat, p.Former)
	}
	r.dirs = rooted(append(r.dirs, o.Roots...))
	if o.RPC.Store != nil {
		return r
	}
	base := o.RPC.FS
	if base == nil {
		base = vfs.OS()
	}
	r.fs, r.release = vfs.Keep(base, append(r.dirs, beside(o, homes, r.dirs)...)...)
	return r
}

// rooted returns the absolute ones of some paths, clean.
func rooted(paths []string) []string {
	var all []string
	for _, path := range paths {
		if filepath.IsAbs(path) {
			all = append(all, filepath.Clean(path))
		}
	}
	return all
}

// beside returns the directories that no client names and sessions of the given ones
// use: for drafts and what can be taken back, for blobs, for sessions that pi has not
// moved to their place yet. A directory that is reached through a link is also known
// by where it is, which is what the system says of a file that was renamed.
func beside(o *Options, homes []places.Place, dirs []string) []string {
	all := []string{places.Own(o.RPC.Env).State}
	if o.RPC.AgentDir != "" {
		for _, name := range places.Names() {
			homes = append(homes, places.For(name, o.RPC.Env, layout.Overrides{AgentDir: o.RPC.AgentDir}))
		}
	}
	for _, p := range homes {
		all = append(all, p.Sessions, p.Stray, p.Blobs)
	}
	for _, dir := range dirs {
		if filepath.Base(dir) == "sessions" {
			all = append(all, filepath.Join(filepath.Dir(dir), "blobs")) // of a copy of a home
		}
		if o.RPC.Env.Real == nil {
			continue
		}
		if real, ok := o.RPC.Env.Real(dir); ok {
			all = append(all, real)
		}
	}
	all = rooted(all)
	slices.Sort(all)
	return slices.Compact(all)
}

// allow says whether a client may use a path, absolute and clean: a directory
// in the roots, or one of them, or what may be a session's file in them, by its
// name. What is reached through a link below a root is refused. The answer is for
// the client: what keeps links out is the file system of the roots.
func (r *roots) allow(path string, dir bool) error {
	refused := errOutside{path}
	if strings.IndexByte(path, 0) >= 0 || !dir && filepath.Ext(path) != ident.Ext {
		return refused
	}
	if !slices.ContainsFunc(r.dirs, func(root string) bool { return within(root, path, dir) }) {
		return refused
	}
	if r.fs == nil {
		return nil
	}
	info, err := r.fs.Lstat(path)
	if errors.Is(err, vfs.ErrLink) || err == nil && info.Mode&fs.ModeSymlink != 0 {
		return refused
	}
	return nil
}

// within reports whether path lies in root, or, for a directory, is it.
func within(root, path string, dir bool) bool {
	rest, below := vfs.Below(path, root)
	return below && (dir || rest != "")
}
