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
		{Path: "internal/defects", Wing: Meaning},
		{Path: "undo", Wing: Meaning},
		{Path: "presence", Wing: Bytes},
		{Path: "internal/varint", Wing: Meaning},
		{Path: "internal/when", Wing: Meaning},
		{Path: "internal/buildinfo", Wing: Front},
		{Path: "internal/jsonl", Wing: Bytes},
		{Path: "internal/term", Wing: Front},
		{Path: "internal/secret", Wing: Front},
		{Path: "internal/near", Wing: Meaning},
		{Path: "internal/redact", Wing: Meaning},
		{Path: "internal/gfm", Wing: Meaning},
		{Path: "internal/syntax", Wing: Front},
		{Path: "internal/process", Wing: Bytes},
		{Path: "internal/mosaic", Wing: Bytes},
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
		{Path: "entry", Wing: Meaning, May: rooms("internal/jsonedit internal/jsonl")},
		{Path: "message", Wing: Meaning, May: rooms("internal/jsonedit entry")},
		{Path: "internal/tree", Wing: Meaning, May: rooms("internal/jsonedit entry")},
		{Path: "internal/ident", Wing: Meaning},
		{Path: "dialect", Wing: Meaning, May: rooms("")},
		{Path: "internal/usage", Wing: Meaning, May: rooms("internal/jsonedit internal/jsonl internal/varint entry dialect")},
		{Path: "internal/spelling", Wing: Meaning, May: rooms("internal/ident internal/jsonedit internal/jsonl entry dialect")},
		{Path: "replay", Wing: Meaning, Light: true, Blind: true, May: rooms(`
			internal/jsonedit message entry dialect internal/spelling`)},
		{Path: "internal/pathname", Wing: Meaning, May: rooms("internal/ident")},
		{Path: "layout", Wing: Meaning, May: rooms("internal/pathname")},
		{Path: "internal/places", Wing: Meaning, May: rooms("internal/ident internal/pathname layout")},
		{Path: "compact", Wing: Meaning, May: rooms("entry")},
		{Path: "internal/compaction", Wing: Meaning, May: rooms(`
			internal/jsonedit message entry internal/tree replay dialect internal/spelling compact`)},
		{Path: "convert", Wing: Meaning, May: rooms("entry dialect")},
		{Path: "internal/conversion", Wing: Meaning, May: rooms("convert dialect entry internal/jsonedit internal/spelling message replay internal/tree")},
	}
}

func storing() []Room {
	return []Room{
		{Path: "internal/vfs", Wing: Bytes},
		{Path: "internal/vfs/crashfs", Wing: Bytes, May: rooms("internal/vfs")},
		{Path: "internal/vfs/errorfs", Wing: Bytes, May: rooms("internal/vfs")},
		{Path: "storage", Wing: Bytes, May: rooms("internal/vfs")},
		{Path: "internal/powers", Wing: Bytes, May: rooms("internal/vfs storage")},
		{Path: "internal/loglines", Wing: Bytes, May: rooms("")},
		{Path: "storage/local", Wing: Bytes, May: rooms("internal/vfs storage internal/loglines")},
		{Path: "storage/memory", Wing: Bytes, May: rooms("storage internal/loglines internal/powers")},
		{Path: "storage/storagetest", Wing: Testing, May: rooms("storage internal/loglines internal/powers")},
		{Path: "blob", Wing: Bytes, May: rooms("internal/vfs")},
		{Path: "internal/source", Wing: Bytes, May: rooms("internal/vfs storage storage/local")},
		{Path: "internal/texts", Wing: Bytes, May: rooms("internal/source")},
		{Path: "internal/foreign", Wing: Engine, Light: true, May: rooms(`
			internal/jsonedit internal/mosaic convert entry dialect layout internal/vfs internal/source storage internal/powers internal/loglines`)},
		{Path: "internal/foreign/codex", Wing: Engine, Light: true, May: rooms(`
			convert dialect entry internal/foreign internal/jsonedit internal/jsonl internal/mosaic internal/source internal/vfs layout`)},
		{Path: "internal/foreign/foreigntest", Wing: Testing, May: rooms("replay")},
		{Path: "internal/foreign/claude", Wing: Engine, Light: true, May: rooms(`
			convert dialect entry internal/conversion internal/foreign internal/jsonedit internal/jsonl internal/mosaic internal/source internal/vfs layout`)},
		{Path: "internal/foreign/database", Wing: Bytes, May: rooms("internal/jsonedit internal/vfs")},
		{Path: "internal/foreign/opencode", Wing: Engine, May: rooms(`
			convert dialect entry internal/foreign internal/foreign/database internal/jsonedit internal/mosaic internal/source
			internal/vfs layout replay`)},
		{Path: "internal/foreign/crush", Wing: Engine, May: rooms(`
			dialect internal/foreign internal/foreign/database internal/jsonedit internal/mosaic internal/source internal/vfs layout`)},
		{Path: "internal/storefs", Wing: Bytes, May: rooms("internal/vfs storage internal/source internal/powers")},
		{Path: "internal/lease", Wing: Bytes, May: rooms("storage")},
		{Path: "internal/serverstatus", Wing: Bytes},
		{Path: "storage/postgres", Wing: Bytes, May: rooms(`
			storage blob internal/lease internal/loglines internal/powers internal/serverstatus`)},
		{Path: "storage/jetstream", Wing: Bytes, May: rooms(`
			storage blob internal/lease internal/loglines internal/powers internal/serverstatus`)},
		{Path: "internal/offline", Wing: Bytes, May: rooms("internal/vfs storage blob internal/powers")},
		{Path: "prompts", Wing: Bytes, May: rooms("internal/vfs")},
		{Path: "internal/breadcrumb", Wing: Bytes, May: rooms("internal/vfs")},
		{Path: "internal/gitroot", Wing: Bytes, May: rooms("internal/vfs")},
		{Path: "internal/project", Wing: Bytes, May: rooms("internal/vfs")},
		{Path: "internal/ignore", Wing: Bytes, May: rooms("internal/vfs internal/project")},
		{Path: "internal/state", Wing: Bytes, May: rooms(`
			internal/jsonedit layout internal/vfs storage storage/local internal/breadcrumb internal/ident undo
			presence internal/loglines internal/powers internal/places`)},
	}
}

// meeting is the one room in which meaning and bytes meet.
func meeting() []Room {
	return []Room{
		{Path: "internal/journal", Wing: Engine, Light: true, May: rooms(`
			internal/jsonl entry internal/tree storage internal/loglines internal/powers internal/defects`)},
	}
}

func engine() []Room {
	return []Room{
		{Path: "session", Wing: Engine, Light: true, May: rooms(`
			internal/jsonedit entry internal/tree replay dialect layout internal/vfs storage
			storage/local storage/memory blob internal/state internal/journal internal/storefs convert
			internal/spelling internal/conversion internal/ident damage undo presence message internal/powers
			internal/places internal/defects internal/foreign`)},
		{Path: "catalog", Wing: Engine, Light: true, May: rooms(`
			internal/jsonedit internal/jsonl entry internal/tree dialect layout internal/vfs storage internal/source
			internal/journal internal/breadcrumb internal/gitroot internal/varint internal/spelling internal/ident damage
			presence internal/places internal/pathname internal/foreign internal/usage`)},
		{Path: "search", Wing: Engine, Light: true, May: rooms(`
			internal/jsonedit internal/jsonl entry internal/tree replay storage internal/source internal/texts
			internal/journal internal/varint catalog internal/spelling internal/vfs internal/powers internal/when internal/foreign`)},
		{Path: "repair", Wing: Engine, Light: true, May: rooms(`
			internal/jsonedit internal/jsonl entry internal/tree dialect layout internal/vfs storage storage/local
			blob internal/state session internal/spelling internal/ident undo internal/storefs internal/journal
			internal/powers internal/places internal/defects internal/foreign`)},
		{Path: "internal/exchange", Wing: Engine, Light: true, May: rooms(`
			internal/jsonedit internal/jsonl entry internal/tree dialect layout internal/vfs storage storage/local
			blob internal/journal session internal/spelling internal/ident internal/powers internal/places`)},
		{Path: "reconcile", Wing: Engine, Light: true, May: rooms("blob internal/exchange layout storage")},
		{Path: "agent", Wing: Engine, Light: true, May: rooms(`
			internal/jsonedit message entry internal/tree replay dialect internal/vfs session compact internal/compaction
			internal/spelling`)},
		{Path: "internal/spending", Wing: Engine, Light: true, May: rooms("catalog internal/usage")},
		{Path: "internal/index", Wing: Engine, May: rooms("internal/vfs storage internal/journal internal/source internal/texts catalog internal/varint internal/usage")},
		{Path: "index", Wing: Engine, May: rooms("layout session catalog internal/index internal/places")},
		{Path: "internal/engine", Wing: Engine, Light: true, May: rooms(`
			dialect layout internal/vfs storage blob session catalog presence internal/spelling internal/foreign internal/foreign/claude internal/foreign/codex`)},
		{Path: "internal/tend", Wing: Engine, Light: true, May: rooms(`
			undo internal/jsonedit message entry dialect layout internal/vfs storage internal/state internal/storefs
			session internal/spelling internal/places internal/foreign`)},
		{Path: ".", Wing: Engine, Light: true, May: rooms(`
			dialect layout storage blob internal/state session catalog search internal/spelling internal/engine undo
			internal/vfs storage/local repair internal/tend internal/powers internal/places presence internal/foreign`)},
	}
}

func testing() []Room {
	return []Room{
		{Path: "internal/sessiongen", Wing: Testing},
		{Path: "internal/sessiontest", Wing: Testing, May: rooms(`
			internal/sessiongen internal/jsonedit replay internal/tree session internal/spelling dialect`)},
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
		{Path: "interop/web", Wing: Testing},
		{Path: "interop/agents", Wing: Testing},
		{Path: "interop/incidents", Wing: Testing, May: rooms(`
			internal/jsonedit internal/jsonl entry internal/tree dialect layout internal/vfs storage/local session catalog
			internal/vfs/errorfs . internal/spelling interop/peers`)},
	}
}

func front() []Room {
	return []Room{
		{Path: "internal/model", Wing: Front, May: rooms("message replay")},
		{Path: "internal/settings", Wing: Front, May: rooms("compact internal/model internal/vfs")},
		{Path: "internal/shellhook", Wing: Front, May: rooms(`
			session agent compact internal/compaction entry internal/jsonedit internal/settings internal/secret
			internal/process`)},
		{Path: "internal/coder/provider", Wing: Front, May: rooms("message internal/model internal/jsonedit internal/term")},
		{Path: "internal/coder/provider/anthropic", Wing: Front, May: rooms("message internal/model internal/jsonedit internal/coder/provider")},
		{Path: "internal/coder/provider/openai", Wing: Front, May: rooms("message internal/model internal/jsonedit internal/coder/provider")},
		{Path: "internal/coder/tool", Wing: Front, May: rooms(`
			message internal/ignore internal/coder/provider internal/jsonedit internal/process`)},
		{Path: "internal/mcp", Wing: Front, May: rooms(`
			message internal/jsonedit internal/coder/provider internal/coder/tool internal/process`)},
		{Path: "internal/coder", Wing: Front, May: rooms(`
			session agent compact message entry replay dialect internal/jsonedit internal/term internal/consent
			internal/model internal/vfs internal/project internal/coder/provider internal/coder/tool
			internal/coder/provider/anthropic internal/coder/provider/openai internal/spelling`)},
		{Path: "interop/bench", Wing: Testing, May: rooms(`
			session catalog search agent entry internal/tree replay dialect layout internal/sessiongen internal/index interop/peers`)},
		{Path: "interop/bench/turn", Wing: Testing, May: rooms(`
			session agent message replay dialect layout internal/model internal/coder/provider internal/coder
			interop/peers`)},
		{Path: "internal/rpc", Wing: Front, May: rooms(`
			session catalog search repair compact internal/compaction entry internal/tree replay dialect layout
			storage blob prompts internal/jsonedit internal/jsonl internal/state internal/vfs internal/offline
			internal/spelling internal/ident internal/engine internal/foreign internal/places internal/spending internal/usage`)},
		{Path: "internal/serve", Wing: Front, May: rooms(`
			session layout internal/jsonedit internal/vfs internal/rpc internal/ident entry internal/places`)},
		{Path: "internal/acp", Wing: Front, May: rooms(`
			session catalog agent compact message entry replay internal/jsonedit internal/jsonl internal/consent
			internal/vfs internal/offline internal/model internal/mcp internal/coder/provider internal/coder/tool
			internal/coder internal/spelling`)},
		{Path: "internal/transcript", Wing: Front, Light: true, May: rooms(`
			session message entry internal/tree replay internal/spelling blob internal/term internal/jsonedit`)},
		{Path: "internal/export", Wing: Front, May: rooms(`
			entry internal/gfm internal/jsonedit internal/redact internal/syntax internal/term internal/transcript message`)},
		{Path: "internal/handout", Wing: Front, May: rooms(`
			blob entry internal/export internal/jsonedit internal/redact internal/term internal/transcript internal/tree
			internal/vfs replay session`)},
		{Path: "internal/work", Wing: Front, May: rooms(`
			blob catalog dialect entry internal/breadcrumb internal/defects internal/engine internal/exchange
			internal/ident internal/index internal/journal internal/jsonl internal/near internal/offline internal/places
			internal/powers internal/secret internal/serverstatus internal/shellword internal/spending internal/spelling internal/state
			internal/foreign internal/foreign/crush internal/foreign/opencode
			internal/storefs internal/tend internal/term internal/texts internal/tree internal/usage internal/vfs internal/workplace layout message
			presence prompts repair search session storage storage/jetstream storage/local storage/postgres undo`)},
		{Path: "internal/builtin", Wing: Front, May: rooms(`
			session agent replay internal/work internal/model internal/settings internal/shellhook internal/coder
			internal/places`)},
		{Path: "internal/tui/theme", Wing: Front, May: rooms("internal/term")},
		{Path: "internal/tui/picker", Wing: Front, May: rooms("catalog dialect internal/term internal/tui/theme")},
		{Path: "internal/tui/treeview", Wing: Front, May: rooms("entry internal/tree internal/term internal/tui/theme")},
		{Path: "internal/editor", Wing: Front},
		{Path: "internal/tui/costview", Wing: Front, May: rooms("internal/term internal/tui/theme internal/usage")},
		{Path: "internal/tui/markdown", Wing: Front, May: rooms("internal/gfm internal/syntax internal/term internal/tui/theme")},
		{Path: "internal/tui/readview", Wing: Front, May: rooms(`
			internal/consent internal/syntax internal/term internal/transcript internal/tui/markdown internal/tui/theme`)},
		{Path: "internal/tui/chatview", Wing: Front, May: rooms(`
			message internal/jsonedit internal/term internal/consent internal/tui/theme internal/tui/markdown internal/transcript`)},
		{Path: "internal/chat", Wing: Front, May: rooms(`
			session catalog agent compact message entry replay dialect internal/spelling prompts internal/jsonedit
			internal/term internal/consent internal/ignore internal/vfs internal/model internal/coder
			internal/workplace internal/work internal/tui/theme internal/tui/picker internal/tui/treeview
			internal/tui/chatview presence internal/editor`)},
		{Path: "internal/browse", Wing: Front, May: rooms(`
			session catalog search entry internal/tree blob storage internal/jsonedit internal/jsonl internal/vfs
			internal/offline internal/term internal/transcript internal/tui/theme internal/tui/picker
			internal/tui/readview internal/tui/treeview internal/work internal/defects replay internal/tui/costview internal/usage internal/editor`)},
		{Path: "internal/console", Wing: Front, May: rooms("internal/consent internal/secret internal/term")},
		{Path: "internal/problem", Wing: Front, May: rooms(`
			catalog internal/ident internal/journal internal/serverstatus internal/shellword internal/state
			internal/term internal/transcript internal/vfs internal/work internal/workplace search session storage
			storage/jetstream storage/postgres`)},
		{Path: "internal/print", Wing: Front, May: rooms(`
			blob catalog convert entry internal/console internal/conversion internal/foreign internal/defects internal/exchange
			internal/jsonedit internal/model internal/serverstatus internal/state internal/term internal/transcript
			internal/tree internal/tui/theme internal/usage internal/work presence prompts repair replay search session`)},
		{Path: "internal/completion", Wing: Front, May: rooms(`
			catalog entry internal/shellword internal/term internal/transcript internal/tree internal/work session`)},
		{Path: "internal/handover", Wing: Front, May: rooms("dialect internal/vfs internal/work")},
		{Path: "internal/run", Wing: Front, May: rooms(`
			entry internal/coder internal/consent internal/console internal/jsonedit internal/term internal/transcript
			message`)},
		{Path: "internal/cli", Wing: Front, May: rooms(`
			catalog entry internal/acp internal/browse internal/buildinfo internal/builtin internal/chat
			internal/coder internal/completion internal/console internal/exchange internal/handout internal/handover internal/model
			internal/offline internal/places internal/print internal/problem internal/rpc internal/run internal/secret
			internal/serve internal/settings internal/spelling internal/storefs internal/term internal/transcript
			internal/tui/picker internal/tui/theme internal/usage internal/vfs internal/when internal/work layout message presence
			prompts replay search session internal/editor`)},
		{Path: "cmd/cambium", Wing: Front, May: rooms("internal/cli")},
		{Path: "release/pages", Wing: Front, May: rooms("internal/cli")},
		{Path: "release/npm", Wing: Front},
	}
}

// rooms are the paths in a text.
func rooms(paths string) []string { return strings.Fields(paths) }
