package arch

import "strings"

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
	// May are the paths of the rooms that it imports, all of them above it in the
	// table. Test files may import any room.
	May []string
	// Light rooms never reach a database, a web server or a screen, seen
	// through all that they import of this module.
	Light bool
	// Blind rooms do not know the dialects by name: what differs between them
	// comes in as values.
	Blind bool
}

// Rooms returns the table, bottom first.
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
		{Path: "internal/jsonedit", Wing: Meaning},
		{Path: "damage", Wing: Meaning},
		{Path: "undo", Wing: Meaning},
		{Path: "presence", Wing: Bytes},
		{Path: "internal/varint", Wing: Meaning},
		{Path: "internal/jsonl", Wing: Bytes},
		{Path: "internal/term", Wing: Front},
		{Path: "internal/secret", Wing: Front},
		{Path: "internal/process", Wing: Bytes},
		{Path: "internal/shellword", Wing: Meaning},
		{Path: "internal/workplace", Wing: Front, May: rooms("internal/shellword")},
		{Path: "internal/consent", Wing: Meaning, May: rooms("internal/jsonedit internal/term")},
		{Path: "internal/golden", Wing: Testing},
		{Path: "internal/scratch", Wing: Testing},
		{Path: "internal/arch", Wing: Testing},
	}
}

func meaning() []Room {
	return []Room{
		{Path: "message", Wing: Meaning, May: rooms("internal/jsonedit")},
		{Path: "entry", Wing: Meaning, May: rooms("internal/jsonedit internal/jsonl")},
		{Path: "tree", Wing: Meaning, May: rooms("internal/jsonedit entry")},
		{Path: "internal/ident", Wing: Meaning},
		{Path: "dialect", Wing: Meaning, May: rooms("")},
		{Path: "internal/spelling", Wing: Meaning, May: rooms("internal/jsonedit entry dialect")},
		{Path: "replay", Wing: Meaning, Light: true, Blind: true, May: rooms(`
			internal/jsonedit message entry dialect internal/spelling`)},
		{Path: "internal/pathname", Wing: Meaning, May: rooms("internal/ident")},
		{Path: "layout", Wing: Meaning, May: rooms("internal/ident internal/pathname")},
		{Path: "compact", Wing: Meaning, May: rooms(`
			internal/jsonedit message entry tree replay dialect internal/spelling`)},
		{Path: "convert", Wing: Meaning, May: rooms("entry dialect")},
		{Path: "internal/conversion", Wing: Meaning, May: rooms("convert dialect entry internal/jsonedit internal/spelling message replay tree")},
	}
}

func storing() []Room {
	return []Room{
		{Path: "internal/vfs", Wing: Bytes},
		{Path: "internal/vfs/crashfs", Wing: Bytes, May: rooms("internal/vfs")},
		{Path: "internal/vfs/errorfs", Wing: Bytes, May: rooms("internal/vfs")},
		{Path: "storage", Wing: Bytes, May: rooms("internal/vfs")},
		{Path: "storage/local", Wing: Bytes, May: rooms("internal/vfs storage")},
		{Path: "storage/memory", Wing: Bytes, May: rooms("storage")},
		{Path: "storage/storagetest", Wing: Testing, May: rooms("storage")},
		{Path: "blob", Wing: Bytes, May: rooms("internal/vfs")},
		{Path: "internal/source", Wing: Bytes, May: rooms("internal/vfs storage storage/local")},
		{Path: "internal/texts", Wing: Bytes, May: rooms("internal/source")},
		{Path: "internal/storefs", Wing: Bytes, May: rooms("internal/vfs storage internal/source")},
		{Path: "internal/lease", Wing: Bytes, May: rooms("storage")},
		{Path: "storage/postgres", Wing: Bytes, May: rooms("storage blob internal/lease")},
		{Path: "storage/jetstream", Wing: Bytes, May: rooms("storage blob internal/lease")},
		{Path: "internal/offline", Wing: Bytes, May: rooms("internal/vfs storage blob")},
		{Path: "prompts", Wing: Bytes, May: rooms("internal/vfs")},
		{Path: "internal/breadcrumb", Wing: Bytes, May: rooms("internal/vfs")},
		{Path: "internal/gitroot", Wing: Bytes, May: rooms("internal/vfs")},
		{Path: "internal/project", Wing: Bytes, May: rooms("internal/vfs")},
		{Path: "internal/ignore", Wing: Bytes, May: rooms("internal/vfs internal/project")},
		{Path: "internal/state", Wing: Bytes, May: rooms(`
			internal/jsonedit layout internal/vfs storage storage/local internal/breadcrumb internal/ident undo presence`)},
	}
}

// meeting is the one room in which meaning and bytes meet.
func meeting() []Room {
	return []Room{
		{Path: "internal/journal", Wing: Engine, Light: true, May: rooms("internal/jsonl entry tree storage damage")},
	}
}

func engine() []Room {
	return []Room{
		{Path: "session", Wing: Engine, Light: true, May: rooms(`
			internal/jsonedit internal/jsonl entry tree replay dialect layout internal/vfs storage storage/local
			storage/memory blob internal/state internal/journal internal/storefs convert internal/spelling
			internal/conversion internal/ident damage undo presence message`)},
		{Path: "catalog", Wing: Engine, Light: true, May: rooms(`
			internal/jsonedit internal/jsonl entry tree dialect layout internal/vfs storage internal/source
			internal/journal internal/breadcrumb internal/gitroot internal/varint internal/spelling internal/ident damage
			presence internal/pathname`)},
		{Path: "search", Wing: Engine, Light: true, May: rooms(`
			internal/jsonedit internal/jsonl entry tree replay layout storage internal/source internal/texts
			internal/journal internal/varint catalog internal/spelling internal/vfs`)},
		{Path: "repair", Wing: Engine, Light: true, May: rooms(`
			internal/jsonedit internal/jsonl entry tree dialect layout internal/vfs storage storage/local blob
			internal/state session internal/spelling internal/ident damage undo internal/storefs internal/journal`)},
		{Path: "reconcile", Wing: Engine, Light: true, May: rooms(`
			internal/jsonedit internal/jsonl entry tree dialect layout internal/vfs storage storage/local blob
			internal/journal session internal/spelling internal/ident`)},
		{Path: "agent", Wing: Engine, Light: true, May: rooms(`
			internal/jsonedit message entry tree replay dialect internal/vfs session compact internal/spelling`)},
		{Path: "internal/index", Wing: Engine, May: rooms("internal/vfs storage internal/journal internal/source internal/texts catalog internal/varint")},
		{Path: "index", Wing: Engine, May: rooms("layout session catalog internal/index")},
		{Path: "internal/tend", Wing: Engine, Light: true, May: rooms(`
			undo internal/jsonedit message entry dialect layout internal/vfs storage internal/state internal/storefs session internal/spelling`)},
		{Path: "internal/engine", Wing: Engine, Light: true, May: rooms("dialect layout internal/vfs storage blob session catalog")},
		{Path: ".", Wing: Engine, Light: true, May: rooms(`
			dialect layout storage blob internal/state session catalog search internal/spelling internal/engine undo
			internal/vfs storage/local repair internal/tend`)},
	}
}

func testing() []Room {
	return []Room{
		{Path: "internal/sessiongen", Wing: Testing},
		{Path: "session/sessiontest", Wing: Testing, May: rooms(`
			internal/sessiongen internal/jsonedit replay tree session internal/spelling dialect`)},
		{Path: "internal/vectors", Wing: Testing, May: rooms("internal/jsonedit")},
		{Path: "interop/peers", Wing: Testing},
		{Path: "internal/certtest", Wing: Testing},
		{Path: "internal/pgtest", Wing: Testing},
		{Path: "internal/natstest", Wing: Testing},
		{Path: "internal/tui/tuitest", Wing: Testing},
		{Path: "internal/mcp/mcptest", Wing: Testing},
		{Path: "internal/offline/offlinetest", Wing: Testing, May: rooms("internal/offline storage storage/storagetest")},
		{Path: "internal/coder/wiretest", Wing: Testing, May: rooms("internal/jsonedit")},
		{Path: "internal/coder/wiretest/cmd", Wing: Testing, May: rooms("internal/coder/wiretest")},
		{Path: "examples", Wing: Testing},
		{Path: "examples/embed", Wing: Front, May: rooms("agent session message entry replay dialect layout")},
		{Path: "interop", Wing: Testing},
		{Path: "interop/tour", Wing: Testing, May: rooms(`
			internal/jsonedit entry dialect layout session interop/peers`)},
		{Path: "interop/share", Wing: Testing, May: rooms("interop/peers")},
		{Path: "interop/vendors", Wing: Testing},
		{Path: "interop/table", Wing: Testing, May: rooms("interop/peers")},
		{Path: "interop/table/start", Wing: Testing},
		{Path: "interop/incidents", Wing: Testing, May: rooms(`
			internal/jsonedit internal/jsonl entry dialect layout internal/vfs storage/local session catalog
			internal/vfs/errorfs . internal/spelling interop/peers`)},
	}
}

func front() []Room {
	return []Room{
		{Path: "internal/model", Wing: Front, May: rooms("message replay")},
		{Path: "internal/settings", Wing: Front, May: rooms("compact internal/model internal/vfs")},
		{Path: "internal/shellhook", Wing: Front, May: rooms("session agent compact entry internal/jsonedit internal/settings internal/secret internal/process")},
		{Path: "internal/coder/provider", Wing: Front, May: rooms("message internal/model internal/jsonedit internal/term")},
		{Path: "internal/coder/provider/anthropic", Wing: Front, May: rooms("message internal/model internal/jsonedit internal/coder/provider")},
		{Path: "internal/coder/provider/openai", Wing: Front, May: rooms("message internal/model internal/jsonedit internal/coder/provider")},
		{Path: "internal/coder/tool", Wing: Front, May: rooms("message internal/ignore internal/coder/provider internal/process")},
		{Path: "internal/mcp", Wing: Front, May: rooms("message internal/jsonedit internal/coder/provider internal/coder/tool internal/process")},
		{Path: "internal/coder", Wing: Front, May: rooms(`
			session agent compact message entry replay dialect internal/jsonedit internal/term internal/consent
			internal/model internal/vfs internal/project internal/coder/provider internal/coder/tool
			internal/coder/provider/anthropic internal/coder/provider/openai internal/spelling`)},
		{Path: "interop/bench", Wing: Testing, May: rooms(`
			session catalog search agent entry tree replay dialect layout internal/sessiongen internal/index interop/peers`)},
		{Path: "interop/bench/turn", Wing: Testing, May: rooms(`
			session agent message replay dialect layout internal/model internal/coder/provider internal/coder
			interop/peers`)},
		{Path: "internal/rpc", Wing: Front, May: rooms(`
			session catalog search repair compact entry tree replay dialect layout storage blob prompts internal/jsonedit
			internal/jsonl internal/state internal/vfs internal/offline internal/spelling internal/ident internal/engine`)},
		{Path: "internal/serve", Wing: Front, May: rooms(`
			session layout internal/jsonedit internal/vfs internal/rpc internal/ident`)},
		{Path: "internal/acp", Wing: Front, May: rooms(`
			session catalog agent compact message entry replay internal/jsonedit internal/jsonl internal/consent
			internal/vfs internal/offline internal/model internal/mcp internal/coder/provider internal/coder/tool
			internal/coder internal/spelling`)},
		{Path: "internal/transcript", Wing: Front, Light: true, May: rooms(`
			session message entry tree replay internal/spelling blob internal/term internal/jsonedit`)},
		{Path: "internal/work", Wing: Front, May: rooms(`
			session catalog search repair reconcile entry tree dialect layout storage storage/postgres storage/jetstream
			storage/local blob internal/journal internal/state internal/index internal/storefs internal/offline
			internal/breadcrumb internal/vfs internal/term internal/shellword internal/secret
			internal/engine internal/workplace internal/spelling internal/ident undo internal/tend`)},
		{Path: "internal/builtin", Wing: Front, May: rooms(`
			session agent replay layout internal/work internal/model internal/settings internal/shellhook internal/coder`)},
		{Path: "internal/tui/theme", Wing: Front, May: rooms("internal/term")},
		{Path: "internal/tui/picker", Wing: Front, May: rooms("catalog dialect internal/term internal/tui/theme")},
		{Path: "internal/tui/treeview", Wing: Front, May: rooms("entry tree internal/term internal/tui/theme")},
		{Path: "internal/tui/markdown", Wing: Front, May: rooms("internal/term internal/tui/theme")},
		{Path: "internal/tui/chatview", Wing: Front, May: rooms(`
			message internal/jsonedit internal/term internal/consent internal/tui/theme internal/tui/markdown internal/transcript`)},
		{Path: "internal/chat", Wing: Front, May: rooms(`
			session catalog agent compact message entry replay dialect internal/spelling prompts internal/jsonedit internal/term
			internal/consent internal/ignore internal/vfs internal/model internal/coder internal/workplace internal/work
			internal/tui/theme internal/tui/picker internal/tui/treeview internal/tui/chatview`)},
		{Path: "internal/browse", Wing: Front, May: rooms(`
			session catalog search entry blob storage internal/jsonedit internal/jsonl internal/vfs internal/offline
			internal/term internal/transcript internal/tui/theme internal/tui/picker internal/tui/treeview internal/work`)},
		{Path: "internal/cli", Wing: Front, May: rooms(`
			session catalog search repair reconcile convert message entry tree replay dialect layout storage
			storage/postgres storage/jetstream blob prompts internal/jsonedit internal/jsonl internal/state internal/term
			internal/consent internal/tui/theme internal/tui/picker internal/coder internal/acp internal/rpc
			internal/serve internal/vfs internal/storefs internal/offline internal/model internal/settings
			internal/builtin internal/secret internal/shellword internal/workplace internal/work internal/transcript
			internal/chat internal/spelling internal/conversion internal/ident internal/browse damage internal/journal`)},
		{Path: "cmd/cambium", Wing: Front, May: rooms("internal/cli")},
	}
}

// rooms are the paths in a text.
func rooms(paths string) []string { return strings.Fields(paths) }
