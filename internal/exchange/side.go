package exchange

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

// A Side is a place with sessions of any agents. It is a value; make one with
// Homes, Directory or Shared. Who made its store closes it.
type Side struct {
	// key tells sides apart in the remembered state, without passwords.
	key string
	// store holds the logs.
	store storage.Store

	env   layout.Env
	over  func(agent string) layout.Overrides
	blobs blob.Store // nil for each agent's own directory
	fsys  vfs.FS     // nil where artifacts are listed, not files
	root  string     // what nothing may lead out of; "" for the homes
	home  bool       // paths are this machine's
}

// Homes is the side of this machine: the homes of the agents as env has them,
// with a person's overrides.
func Homes(env layout.Env, over layout.Overrides) Side {
	s := Side{
		key: "homes " + env.Home + " " + over.AgentDir + " " + over.SessionDir,
		env: env, home: true,
		over: func(string) layout.Overrides { return over },
	}
	s.found()
	return s
}

var _ = vfs.Taken(func(s *Side) *vfs.FS { return &s.fsys }, (*Side).found)

// found has a side that is of files keep its logs on its file system.
func (s *Side) found() {
	if s.fsys == nil {
		s.fsys = vfs.OS()
	}
	var o local.Options
	if s.home {
		omp := places.For(string(dialect.Omp), s.env, s.over(string(dialect.Omp)))
		o.Sidecar = func(name string) string { return sidecar(name, append(omp.Roots(), omp.Flat)) }
	} else {
		s.fsys = vfs.Under(s.fsys, s.root)
	}
	s.store = local.New(vfs.On(o, s.fsys))
}

// sidecar is the lock file that omp looks for beside a file of its own.
func sidecar(name string, roots []string) string {
	for _, root := range roots {
		if root != "" && strings.HasPrefix(name, root+string(filepath.Separator)) {
			return filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".lock")
		}
	}
	return ""
}

// Directory is a plain directory, given by its absolute path: a mounted drive, a
// git checkout. Each agent has its own in it, laid out as its agent directory:
// AGENT/sessions/PROJECT/NAME.jsonl and AGENT/blobs. Nothing is read or written
// through a symbolic link in it.
func Directory(dir string) Side {
	dir = filepath.Clean(dir)
	s := Side{
		key: "directory " + dir,
		env: layout.Env{Home: "/", Cwd: dir, Separator: filepath.Separator}, root: dir,
		over: func(agent string) layout.Overrides {
			return layout.Overrides{AgentDir: filepath.Join(dir, agent)}
		},
	}
	s.found()
	return s
}

// Shared is a store that many machines have, and its blobs. Names in it are
// those of a home that is the root.
func Shared(key string, store storage.Store, blobs blob.Store) Side {
	return Side{
		key: key, store: store, blobs: blobs, env: layout.Env{Home: "/", Cwd: "/"},
		over: func(string) layout.Overrides { return layout.Overrides{} },
	}
}

// place is where an agent keeps its things on a side.
func (s *Side) place(agent string) places.Place {
	return places.For(agent, s.env, s.over(agent))
}

// blobStore is where the large things of a log of an agent are, nil for none.
func (s *Side) blobStore(agent string) blob.Store {
	if s.blobs != nil {
		return s.blobs
	}
	dir := s.place(agent).Blobs
	if dir == "" {
		return nil
	}
	return blob.OpenDir(dir, vfs.On(blob.DirOptions{Typed: s.home && agent == string(dialect.Omp)}, s.fsys))
}

// dir returns the directory for the sessions of a working directory, as the side
// has it in headers.
func (s *Side) dir(agent, cwd string) string {
	p := s.place(agent)
	if s.home {
		// One that is not absolute comes from elsewhere: nothing here is meant.
		if !rooted(slashed(cwd)) || s.env.Separator != '\\' && cwd[0] != '/' {
			cwd = path.Clean("/" + slashed(cwd))
		}
		return p.Dir(cwd, s.env)
	}
	rest, inHome := strings.CutPrefix(cwd, homeToken)
	if !inHome || rest != "" && rest[0] != '/' {
		// The published form says it for every machine.
		name := places.DirName(string(dialect.Cambium), strings.ReplaceAll(cwd, `\`, "/"), layout.Env{Cwd: "/"})
		return s.join(p.Sessions, name)
	}
	return s.join(p.Sessions, "home"+strings.ReplaceAll(path.Clean("/"+rest), "/", "-"))
}

func (s *Side) join(dir string, parts ...string) string {
	if s.fsys == nil {
		return path.Join(append([]string{dir}, parts...)...)
	}
	return filepath.Join(append([]string{dir}, parts...)...)
}
