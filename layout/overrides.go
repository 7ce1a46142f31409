package layout

// Overrides are the directories a person names on the command line, in an
// option or in an agent's settings. The zero value overrides nothing.
type Overrides struct {
	// AgentDir is the agent directory; empty: the environment's, else the
	// dialect's default. It also ends the search of XDG directories, unless it
	// is the default directory.
	AgentDir string
	// SessionDir is the one directory that holds the session files themselves,
	// without a directory for each working directory; empty: the environment's,
	// else Setting, else none.
	SessionDir string
	// Setting is the value of pi's setting sessionDir; the other dialects have
	// none and ignore it.
	Setting string
	// Brand is the name under which pi was rebranded (piConfig.name of its
	// package.json), empty: "pi". It begins the names of the environment
	// variables, in upper case.
	Brand string
	// BrandDir is the rebranded pi's directory in the home (piConfig.configDir),
	// empty: ".pi".
	BrandDir string
}
