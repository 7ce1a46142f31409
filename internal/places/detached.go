package places

import "github.com/cambium-dev/cambium/layout"

// Detached returns an environment in which no terminal is known: that of a
// server, whose clients are elsewhere. Programs then note and find no session as
// the last one of a terminal.
func Detached(env layout.Env) layout.Env {
	hidden := map[string]bool{"ZELLIJ_SESSION_NAME": true}
	for _, name := range Names() {
		for _, source := range terminalSources(name) {
			hidden[source.variable] = true
		}
	}
	getenv, lookup := env.Getenv, env.LookupEnv
	if getenv != nil {
		env.Getenv = func(name string) string {
			if hidden[name] {
				return ""
			}
			return getenv(name)
		}
	}
	if lookup != nil {
		env.LookupEnv = func(name string) (string, bool) {
			if hidden[name] {
				return "", false
			}
			return lookup(name)
		}
	}
	return env
}
