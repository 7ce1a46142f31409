package arch

// A Wing is the part of the house in which a room lies.
type Wing int

const (
	// Meaning rooms say what a session says: pure values and functions, without
	// disk, network, clock or randomness.
	Meaning Wing = iota
	// Bytes rooms keep logs, names and hashes and know nothing of sessions.
	Bytes
	// Engine rooms arrange and find.
	Engine
	// Front rooms show sessions to people and programs.
	Front
	// Testing rooms are imported by tests only.
	Testing
)

// A Room is a folder of the module with Go code in it.
type Room struct {
	// Path is the folder relative to the module's root, "." for the root.
	Path string
	// Wing is where the room lies.
	Wing Wing
	// May are the paths of the rooms that it may import, all of them above it
	// in the table. Test files may import any room.
	May []string
	// Light rooms never reach a database, a web server or a screen, seen
	// through all that they import of this module.
	Light bool
	// Blind rooms do not know the dialects by name: what differs between them
	// comes in as values.
	Blind bool
}

// Rooms returns the table, bottom first. A room that is not built yet has its row
// already.
func Rooms() []Room {
	var all []Room
	for _, wing := range [][]Room{ground(), meaning(), storing(), meeting(), engine(), testing(), front()} {
		all = append(all, wing...)
	}
	return all
}

// ground is what every other room may stand on.
func ground() []Room {
	return []Room{
		{Path: "internal/splice", Wing: Meaning},
		{Path: "internal/pack", Wing: Meaning},
		{Path: "internal/jsonl", Wing: Bytes},
		{Path: "internal/term", Wing: Front},
		{Path: "internal/secret", Wing: Front},
		{Path: "internal/shellword", Wing: Meaning},
		{Path: "internal/workplace", Wing: Front, May: []string{"internal/shellword"}},
		{Path: "internal/consent", Wing: Meaning, May: []string{"internal/splice", "internal/term"}},
		{Path: "internal/golden", Wing: Testing},
		{Path: "internal/scratch", Wing: Testing},
		{Path: "internal/arch", Wing: Testing},
	}
}

func meaning() []Room {
	raw := []string{"internal/splice", "internal/jsonl"}
	return []Room{
		{Path: "message", Wing: Meaning, May: raw},
		{Path: "entry", Wing: Meaning, May: with(raw, "message")},
		{Path: "tree", Wing: Meaning, May: with(raw, "message", "entry")},
		{Path: "replay", Wing: Meaning, May: with(raw, "message", "entry", "tree"), Light: true, Blind: true},
		{Path: "dialect", Wing: Meaning, May: with(raw, "message", "entry", "tree", "replay")},
		{Path: "layout", Wing: Meaning, May: []string{"dialect"}},
		{Path: "compact", Wing: Meaning, May: with(raw, "message", "entry", "tree", "replay", "dialect")},
		{Path: "convert", Wing: Meaning, May: with(raw, "message", "entry", "tree", "replay", "dialect")},
	}
}

func storing() []Room {
	return []Room{
		{Path: "internal/vfs", Wing: Bytes},
		{Path: "internal/vfs/crashfs", Wing: Bytes, May: []string{"internal/vfs"}},
		{Path: "internal/vfs/errorfs", Wing: Bytes, May: []string{"internal/vfs"}},
		{Path: "storage", Wing: Bytes, May: []string{"internal/vfs"}},
		{Path: "storage/local", Wing: Bytes, May: []string{"internal/vfs", "storage"}},
		{Path: "storage/memory", Wing: Bytes, May: []string{"storage"}},
		{Path: "storage/storagetest", Wing: Testing, May: []string{"storage"}},
		{Path: "blob", Wing: Bytes, May: []string{"internal/vfs"}},
		{Path: "internal/storefs", Wing: Bytes, May: []string{"internal/vfs", "storage"}},
		{Path: "internal/remote", Wing: Bytes, May: []string{"storage"}},
		{Path: "storage/postgres", Wing: Bytes, May: []string{"storage", "blob", "internal/remote"}},
		{Path: "storage/jetstream", Wing: Bytes, May: []string{"storage", "blob", "internal/remote"}},
		{Path: "internal/depot", Wing: Bytes, May: []string{"internal/vfs", "storage", "blob"}},
		{Path: "recall", Wing: Bytes, May: []string{"internal/vfs"}},
		{Path: "internal/breadcrumb", Wing: Bytes, May: []string{"internal/vfs"}},
		{Path: "internal/gitroot", Wing: Bytes, May: []string{"internal/vfs"}},
		{Path: "internal/project", Wing: Bytes, May: []string{"internal/vfs"}},
		{Path: "internal/ignore", Wing: Bytes, May: []string{"internal/vfs", "internal/project"}},
		{Path: "internal/state", Wing: Bytes, May: []string{
			"internal/splice", "internal/jsonl", "layout", "internal/vfs", "storage", "storage/local", "internal/breadcrumb",
		}},
	}
}

// meeting is the one room in which meaning and bytes meet.
func meeting() []Room {
	return []Room{{
		Path: "internal/journal", Wing: Engine, Light: true,
		May: []string{
			"internal/splice", "internal/jsonl", "message", "entry", "tree", "replay", "dialect", "layout",
			"internal/vfs", "storage", "blob", "internal/state",
		},
	}}
}

func engine() []Room {
	below := []string{
		"internal/splice", "internal/jsonl", "message", "entry", "tree", "replay", "dialect", "layout",
		"internal/vfs", "storage", "storage/local", "storage/memory", "blob", "internal/state", "internal/journal",
	}
	return []Room{
		{Path: "session", Wing: Engine, Light: true, May: with(below, "internal/storefs", "compact", "convert")},
		{Path: "catalog", Wing: Engine, Light: true, May: with(below, "session", "internal/breadcrumb", "internal/gitroot", "internal/pack")},
		{Path: "repair", Wing: Engine, Light: true, May: with(below, "session", "catalog")},
		{Path: "unite", Wing: Engine, Light: true, May: with(below, "session")},
		{Path: "agent", Wing: Engine, Light: true, May: with(below, "session", "catalog", "compact")},
		{Path: "internal/index", Wing: Engine, May: with(below, "session", "catalog", "internal/pack")},
		{Path: ".", Wing: Engine, Light: true, May: with(below, "session", "catalog", "agent", "repair", "unite", "compact", "convert")},
	}
}

func testing() []Room {
	measured := []string{
		"internal/splice", "internal/jsonl", "message", "entry", "tree", "replay", "dialect", "layout", "convert",
		"internal/vfs", "storage", "storage/local", "internal/journal", "session", "catalog",
	}
	return []Room{
		{Path: "internal/sessiongen", Wing: Testing, May: []string{"internal/splice"}},
		{Path: "internal/vectors", Wing: Testing, May: []string{"internal/splice"}},
		{Path: "internal/peers", Wing: Testing},
		{Path: "internal/certtest", Wing: Testing},
		{Path: "internal/pgtest", Wing: Testing},
		{Path: "internal/natstest", Wing: Testing},
		{Path: "internal/tui/tuitest", Wing: Testing},
		{Path: "internal/mcp/mcptest", Wing: Testing},
		{Path: "internal/coder/wiretest", Wing: Testing, May: []string{"internal/splice"}},
		{Path: "internal/coder/wiretest/cmd", Wing: Testing, May: []string{"internal/coder/wiretest"}},
		{Path: "examples", Wing: Testing},
		{Path: "examples/embed", Wing: Front, May: []string{"agent", "session", "message", "entry", "replay", "dialect", "layout"}},
		{Path: "interop", Wing: Testing, May: with(measured, "internal/sessiongen", "internal/peers")},
		{Path: "interop/tour", Wing: Testing, May: with(measured, "internal/peers")},
		{Path: "interop/share", Wing: Testing},
		{Path: "interop/table", Wing: Testing, May: []string{"internal/peers"}},
		{Path: "interop/table/start", Wing: Testing},
		{Path: "interop/incidents", Wing: Testing, May: with(measured, "internal/vfs/errorfs", ".", "internal/peers")},
	}
}

func front() []Room {
	engine := []string{
		".", "session", "catalog", "agent", "repair", "unite", "compact", "convert", "message", "entry", "tree", "replay",
		"dialect", "layout", "storage", "storage/local", "storage/memory", "storage/postgres", "storage/jetstream", "blob",
		"recall", "internal/splice", "internal/jsonl", "internal/state", "internal/term", "internal/consent",
	}
	screens := with(engine, "internal/tui/theme")
	coder := []string{"internal/model", "internal/settings", "internal/shellhook", "internal/vfs", "internal/project", "internal/coder/provider", "internal/coder/tool"}
	return []Room{
		{Path: "internal/model", Wing: Front, May: []string{"message", "replay", "internal/splice"}},
		{Path: "internal/settings", Wing: Front, May: []string{"compact", "replay", "internal/model", "internal/splice", "internal/jsonl", "internal/vfs"}},
		{Path: "internal/shellhook", Wing: Front, May: with(engine, "internal/settings", "internal/secret")},
		{Path: "internal/coder/provider", Wing: Front, May: []string{"message", "internal/model", "internal/splice", "internal/term"}},
		{Path: "internal/coder/provider/anthropic", Wing: Front, May: []string{"message", "internal/model", "internal/splice", "internal/coder/provider"}},
		{Path: "internal/coder/provider/openai", Wing: Front, May: []string{"message", "internal/model", "internal/splice", "internal/coder/provider"}},
		{Path: "internal/coder/tool", Wing: Front, May: []string{"message", "internal/splice", "internal/vfs", "internal/project", "internal/ignore", "internal/coder/provider"}},
		{Path: "internal/mcp", Wing: Front, May: []string{"message", "internal/splice", "internal/coder/provider", "internal/coder/tool"}},
		{Path: "internal/coder", Wing: Front, May: with(engine, append(coder, "internal/coder/provider/anthropic", "internal/coder/provider/openai")...)},
		{Path: "interop/bench", Wing: Testing, May: with(engine, "internal/sessiongen", "internal/index", "internal/peers")},
		{Path: "interop/bench/turn", Wing: Testing, May: with(engine, "internal/model", "internal/coder/provider", "internal/coder", "internal/peers")},
		{Path: "export", Wing: Front, May: engine},
		{Path: "internal/rpc", Wing: Front, May: with(engine, "internal/vfs")},
		{Path: "internal/serve", Wing: Front, May: with(engine, "internal/vfs", "internal/rpc")},
		{Path: "internal/acp", Wing: Front, May: with(engine, "internal/vfs", "internal/model", "internal/mcp", "internal/coder/provider", "internal/coder/tool", "internal/coder")},
		{Path: "internal/tui/theme", Wing: Front, May: []string{"internal/term"}},
		{Path: "internal/tui/picker", Wing: Front, May: screens},
		{Path: "internal/tui/treeview", Wing: Front, May: screens},
		{Path: "internal/tui/markdown", Wing: Front, May: []string{"internal/term", "internal/tui/theme"}},
		{Path: "internal/tui/chatview", Wing: Front, May: with(screens, "internal/tui/markdown")},
		{Path: "internal/tui", Wing: Front, May: with(screens, "internal/tui/picker", "internal/tui/treeview", "internal/tui/chatview", "internal/coder", "internal/settings")},
		{Path: "internal/cli", Wing: Front, May: with(screens,
			"internal/tui/picker", "internal/tui/treeview", "internal/tui/chatview", "internal/tui", "internal/coder", "internal/acp",
			"internal/rpc", "internal/serve", "export", "internal/index", "internal/ignore", "internal/breadcrumb", "internal/vfs", "internal/journal", "internal/storefs", "internal/depot",
			"internal/model", "internal/settings", "internal/shellhook", "internal/secret", "internal/shellword", "internal/workplace")},
		{Path: "cmd/cambium", Wing: Front, May: []string{"internal/cli"}},
	}
}

// with returns the paths of both.
func with(paths []string, more ...string) []string {
	return append(paths[:len(paths):len(paths)], more...)
}
