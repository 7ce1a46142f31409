package places

import (
	"strings"

	"github.com/cambium-dev/cambium/layout"
)

// Names returns the names of the four dialects, Cambium's own first.
func Names() []string { return []string{"cambium", "pi", "omp", "xcsh"} }

// Place is where a dialect keeps its things on one machine. All paths are
// absolute and cleaned; a field is empty when the dialect has no such thing.
type Place struct {
	// Name is the dialect.
	Name string
	// Agent is the agent directory.
	Agent string
	// Sessions is the sessions root: one directory for each working directory.
	Sessions string
	// Flat is the directory a person named for the session files themselves. It
	// replaces Sessions for finding and creating.
	Flat string
	// Former is a second sessions root to read: the one in the agent directory,
	// when XDG moved the root elsewhere (xcsh's listing of all projects reads
	// this one).
	Former string
	// Stray is a directory that may hold session files which the program moves
	// away at its next start: pi's agent directory.
	Stray string
	// Blobs holds images and long texts, each named by its SHA-256.
	Blobs string
	// Breadcrumbs holds a file for each terminal, naming its last session.
	Breadcrumbs string
	// History is the database of prompts.
	History string
	// Custom holds omp's notes of session files outside the sessions root.
	Custom string
	// Pins is omp's list of pinned session ids.
	Pins string
}

// For returns where the dialect name keeps its things, with every override that
// its program knows (flags, environment, omp's profiles, XDG directories that
// exist). A name that is none of Names gives the zero Place. An unusable omp
// profile counts as none; Profile tells.
//
// Sources: published P1, P4 and P5; pi 0.87.1, omp 18.2.3, xcsh 17.4.4. The
// cambium dialect is P1's layout in ~/.cambium, without XDG.
func For(name string, on layout.Env, over layout.Overrides) Place {
	env := machine(on)
	switch name {
	case "cambium":
		agent := env.pick(over.AgentDir, env.expand(env.getenv("CAMBIUM_AGENT_DIR")), env.join(env.Home, ".cambium", "agent"))
		return env.published(name, agent, over.SessionDir)
	case "pi":
		return pi(env, over)
	case "omp":
		return omp(env, over)
	case "xcsh":
		return xcsh(env, over)
	}
	return Place{}
}

// pick resolves the first of the paths that is not empty, "" without one.
func (e machine) pick(paths ...string) string {
	for _, p := range paths {
		if p != "" {
			return e.resolve(p)
		}
	}
	return ""
}

// published is the layout of P1 in one agent directory.
func (e machine) published(name, agent, sessionDir string) Place {
	return Place{
		Name:        name,
		Agent:       agent,
		Sessions:    e.join(agent, "sessions"),
		Flat:        e.pick("", sessionDir),
		Blobs:       e.join(agent, "blobs"),
		Breadcrumbs: e.join(agent, "terminal-sessions"),
		History:     e.join(agent, "history.db"),
	}
}

// pi has sessions only, no XDG, and expands "~" and file URLs.
func pi(env machine, over layout.Overrides) Place {
	brand, dir := "pi", ".pi"
	if over.Brand != "" {
		brand = over.Brand
	}
	if over.BrandDir != "" {
		dir = over.BrandDir
	}
	prefix := strings.ToUpper(brand) + "_CODING_AGENT_"
	path := func(p string) string { return env.expand(env.fromURL(p)) }
	agent := env.pick(over.AgentDir, path(env.getenv(prefix+"DIR")), env.join(env.Home, dir, "agent"))
	return Place{
		Name:     "pi",
		Agent:    agent,
		Sessions: env.join(agent, "sessions"),
		Flat:     env.pick(path(over.SessionDir), path(env.getenv(prefix+"SESSION_DIR")), path(over.Setting)),
		Stray:    agent,
	}
}

// omp adds profiles, its registry of custom files and its pins.
func omp(env machine, over layout.Overrides) Place {
	profile, _ := Profile(layout.Env(env))
	root := env.configRoot(".omp")
	app := "omp"
	given := env.getenv("PI_CODING_AGENT_DIR")
	if inherited, _ := normalProfile(env.getenv("PI_PROFILE")); inherited != "" && given == env.join(root, "profiles", inherited, "agent") {
		// A parent omp exports its profile's directory; with OMP_PROFILE set to
		// nothing that must not lead back into the profile.
		given = ""
	}
	if profile != "" {
		root = env.join(root, "profiles", profile)
		app = env.sep() + "omp" + env.sep() + "profiles" + env.sep() + profile
		given = ""
	}
	standard := env.join(root, "agent")
	agent := env.pick(over.AgentDir, given, standard)
	p := env.published("omp", agent, over.SessionDir)
	p.Flat = env.pick(over.SessionDir, env.getenv("PI_CODING_AGENT_SESSION_DIR"))
	p.Custom = env.join(agent, "custom-session-files")
	p.Pins = env.join(agent, "session-pins.json")
	if agent == standard {
		env.xdg(&p, app)
	}
	return p
}

// xcsh is omp without profiles and without a variable for the session directory.
func xcsh(env machine, over layout.Overrides) Place {
	standard := env.join(env.configRoot(".xcsh"), "agent")
	agent := env.pick(over.AgentDir, env.getenv("PI_CODING_AGENT_DIR"), standard)
	p := env.published("xcsh", agent, over.SessionDir)
	if agent == standard {
		env.xdg(&p, "xcsh")
	}
	return p
}

// configRoot is the directory in the home; PI_CONFIG_DIR replaces its name.
func (e machine) configRoot(name string) string {
	if dir := e.getenv("PI_CONFIG_DIR"); dir != "" {
		name = dir
	}
	return e.join(e.Home, name)
}

// xdg moves data and state to the XDG directories that exist already; the level
// "agent" disappears there. Windows has none.
func (e machine) xdg(p *Place, app string) {
	if e.windows() {
		return
	}
	if dir := e.xdgDir("XDG_DATA_HOME", app); dir != "" {
		p.Former = p.Sessions
		p.Sessions = e.join(dir, "sessions")
		p.Blobs = e.join(dir, "blobs")
		p.History = e.join(dir, "history.db")
	}
	if dir := e.xdgDir("XDG_STATE_HOME", app); dir != "" {
		p.Breadcrumbs = e.join(dir, "terminal-sessions")
		if p.Custom != "" {
			p.Custom = e.join(dir, "custom-session-files")
		}
	}
}

// xdgDir returns app's directory in the one the variable names, "" when it does
// not exist.
func (e machine) xdgDir(variable, app string) string {
	home := e.getenv(variable)
	if home == "" {
		return ""
	}
	dir := e.join(e.resolve(home), app)
	if !e.exists(dir) {
		return ""
	}
	return dir
}

// Dir returns the directory in which a new session of cwd is created.
func (p Place) Dir(cwd string, on layout.Env) string {
	env := machine(on)
	if p.Flat != "" {
		return p.Flat
	}
	return env.join(p.Sessions, DirName(p.Name, cwd, on))
}

// Dirs returns every directory that may hold sessions of cwd, the one of Dir
// first. They may hold sessions of other working directories too.
func (p Place) Dirs(cwd string, on layout.Env) []string {
	env := machine(on)
	if p.Flat != "" {
		return []string{p.Flat}
	}
	var dirs []string
	for _, root := range p.Roots() {
		for _, name := range DirNames(p.Name, cwd, on) {
			dirs = append(dirs, env.join(root, name))
		}
	}
	if p.Stray != "" {
		dirs = append(dirs, p.Stray)
	}
	return dirs
}

// Roots returns the sessions roots to read, the one written to first.
func (p Place) Roots() []string {
	if p.Former == "" {
		return []string{p.Sessions}
	}
	return []string{p.Sessions, p.Former}
}
