package places

import "github.com/cambium-dev/cambium/layout"

// Dirs are the directories of Cambium itself, apart from every dialect's home.
type Dirs struct {
	// State holds drafts, presence, undo and trash: what must not be lost.
	State string
	// Cache holds the index, which can be built again.
	Cache string
	// Config holds the settings.
	Config string
}

// Own returns Cambium's own directories: CAMBIUM_STATE_DIR, CAMBIUM_CACHE_DIR and
// CAMBIUM_CONFIG_DIR as they are, else "cambium" in XDG_STATE_HOME,
// XDG_CACHE_HOME and XDG_CONFIG_HOME (ignored when relative, as the XDG
// specification asks), else in ~/.local/state, ~/.cache and ~/.config.
func Own(on layout.Env) Dirs {
	env := machine(on)
	dir := func(own, xdg string, usual ...string) string {
		if d := env.getenv(own); d != "" {
			return env.resolve(env.expand(d))
		}
		if d := env.getenv(xdg); env.rooted(d) {
			return env.join(env.resolve(d), "cambium")
		}
		return env.join(env.Home, append(usual, "cambium")...)
	}
	return Dirs{
		State:  dir("CAMBIUM_STATE_DIR", "XDG_STATE_HOME", ".local", "state"),
		Cache:  dir("CAMBIUM_CACHE_DIR", "XDG_CACHE_HOME", ".cache"),
		Config: dir("CAMBIUM_CONFIG_DIR", "XDG_CONFIG_HOME", ".config"),
	}
}
