package spelling

import (
	"slices"

	"github.com/cambium-dev/cambium/dialect"
)

// A Dialect is how one program spells a session. It is a value, to be copied
// and not changed.
type Dialect struct {
	Name dialect.Name

	// Replay are the rules for rebuilding the context, LLM those for what is
	// sent to a model.
	Replay Rules
	LLM    LLM
	// Persist is what is done to lines on their way to the file and back.
	Persist Persist

	// IDs is how ids of new sessions are made.
	IDs IDs

	// NameByEntry says that a title is a session_info entry (pi); otherwise
	// it stands in the header.
	NameByEntry bool
	// NameTime says that the time at which a name was given stands beside it
	// in the header ([NamedAt]; cambium).
	NameTime bool
	// TitleChange says that a rename is recorded by a title_change entry
	// too, and that a title slot, where the file has one, is overwritten
	// (omp).
	TitleChange bool
	// KeepUserTitle says that a title given by a program ("auto") never
	// replaces one given by the user. All but pi.
	KeepUserTitle bool
	// EmptyTitle says that an empty title is allowed and clears the title;
	// otherwise it is refused. pi.
	EmptyTitle bool
	// LineTitle cleans a title of line breaks only (pi); otherwise of all
	// control characters and of repeated blanks.
	LineTitle bool

	// FromLeaf says that a branch_summary's fromId is the leaf that was left
	// (pi); otherwise it is the target (D11).
	FromLeaf bool
	// FromHook says that what an extension made is marked fromHook (pi);
	// otherwise fromExtension.
	FromHook bool
	// SplitModel says that a model_change has provider and modelId (pi);
	// otherwise model and role.
	SplitModel bool
	// Configured says that a thinking_level_change always tells the level
	// that was chosen, and a model_change whether it stands in for another
	// (omp).
	Configured bool
	// FillUsage says that assistant messages get the usage they lack, because
	// the program cannot open a session without it (xcsh, and omp's cost).
	FillUsage bool
	// ContextEdit says that an edit of what the model sees is a context_edit
	// entry (pi); otherwise a custom entry (D21).
	ContextEdit bool

	// Header orders: the fields of the header after type, for a new session,
	// a fork in place, a fork from another project's session, and one branch
	// saved as a session of its own. Fields not named follow in the usual
	// order.
	CreateOrder, ForkOrder, ForkFromOrder, BranchOrder []string
	// ParentPath says that a fork names its parent by path (pi); otherwise by
	// id. A saved branch names it by path in every dialect.
	ParentPath bool
	// BranchTitle says that a saved branch keeps the title in its header
	// (omp); ForkTitle that forks do (omp, xcsh, cambium).
	BranchTitle, ForkTitle bool
	// LabelTimes says that the labels of a saved branch keep the times at
	// which they were given; otherwise they are given anew, now. BranchWaits
	// says that a saved branch without an answer on it is not written before
	// there is one. pi.
	LabelTimes, BranchWaits bool
	// CacheKey says that forks inherit the provider's cache key, or take the
	// parent's id for it; ExtraDirs that they inherit the additional
	// directories. omp.
	CacheKey, ExtraDirs bool
}

// IDs is a way to make session ids (D10). Entry ids are 8 hexadecimal digits in
// every dialect.
type IDs uint8

const (
	// Snowflake is 16 hexadecimal digits: cambium, xcsh.
	Snowflake IDs = iota
	// UUIDv7 is a UUID of version 7: pi, omp.
	UUIDv7
)

// All returns the dialects, cambium first.
func All() []Dialect {
	return []Dialect{cambium(), pi(), omp(), xcsh()}
}

// ByName returns the dialect of that name, and false when there is none.
func ByName(name string) (Dialect, bool) {
	all := All()
	i := slices.IndexFunc(all, func(d Dialect) bool { return string(d.Name) == name })
	if i < 0 {
		return Dialect{}, false
	}
	return all[i], true
}

// Foreign are the programs whose sessions are read by the rules of pi and never written.
var Foreign = []dialect.Name{"claude", "codex", "opencode", "crush"}

// Agents returns the names of all whose sessions are read: the dialects' and the Foreign.
func Agents() []string {
	var all []string
	for _, d := range All() {
		all = append(all, string(d.Name))
	}
	for _, name := range Foreign {
		all = append(all, string(name))
	}
	return all
}

// Targets returns the names of those for which sessions are written: not Crush's, which keeps
// them in a database and takes none in.
func Targets() []string {
	return slices.DeleteFunc(Agents(), func(name string) bool { return name == "crush" })
}

// Agent returns the agent of a name, and false when there is none of that name.
func Agent(name string) (dialect.Name, bool) {
	return dialect.Name(name), slices.Contains(Agents(), name)
}

// Reading returns the dialect by which the sessions of a program are read: ByName's, or, of a
// program whose sessions are only read, pi's under its name.
func Reading(name dialect.Name) Dialect {
	if slices.Contains(Foreign, name) {
		d := pi()
		d.Name = name
		return d
	}
	return For(name)
}

// For returns the dialect of that name; the zero Dialect when there is none.
func For(name dialect.Name) Dialect {
	d, _ := ByName(string(name))
	return d
}

func cambium() Dialect {
	d := xcsh()
	d.Name, d.NameTime = dialect.Cambium, true
	d.Replay, d.LLM = cambiumRules(), cambiumLLM()
	d.Persist.Forget = ""
	return d
}

func pi() Dialect {
	return Dialect{
		Name: dialect.Pi, Replay: piRules(), LLM: piLLM(), IDs: UUIDv7,
		NameByEntry: true, EmptyTitle: true, LineTitle: true,
		FromLeaf: true, FromHook: true, SplitModel: true, ContextEdit: true,
		ParentPath:    true,
		LabelTimes:    true,
		BranchWaits:   true,
		CreateOrder:   plainOrder(),
		ForkOrder:     plainOrder(),
		ForkFromOrder: plainOrder(),
		BranchOrder:   plainOrder(),
	}
}

func omp() Dialect {
	return Dialect{
		Name: dialect.Omp, Replay: ompRules(), LLM: ompLLM(), IDs: UUIDv7,
		Persist: Persist{
			Limit: maxUnits, Images: ImagesWide, MinImage: minImage, Typed: true,
			Drop: []string{"jsonlEvents"}, Sealed: true, Forget: "github-copilot",
		},
		TitleChange: true, KeepUserTitle: true, Configured: true, FillUsage: true,
		CreateOrder:   append(plainOrder(), "providerPromptCacheKey"),
		ForkOrder:     []string{"version", "id", "title", "titleSource", "timestamp", "cwd", "additionalDirectories", "parentSession", "providerPromptCacheKey"},
		ForkFromOrder: append(plainOrder(), "providerPromptCacheKey", "title", "titleSource", "additionalDirectories"),
		BranchOrder:   []string{"version", "id", "timestamp", "cwd", "title", "titleSource", "parentSession", "additionalDirectories"},
		BranchTitle:   true, ForkTitle: true, CacheKey: true, ExtraDirs: true,
	}
}

func xcsh() Dialect {
	return Dialect{
		Name: dialect.Xcsh, Replay: xcshRules(), LLM: xcshLLM(), IDs: Snowflake,
		Persist: Persist{
			Limit: maxUnits, Images: ImagesInContent, MinImage: minImage,
			Drop: []string{"partialJson", "jsonlEvents"}, EmptySignatures: true, Forget: Everyone,
		},
		KeepUserTitle: true, FillUsage: true,
		CreateOrder:   plainOrder(),
		ForkOrder:     []string{"version", "id", "title", "titleSource", "timestamp", "cwd", "parentSession"},
		ForkFromOrder: append(plainOrder(), "title", "titleSource"),
		BranchOrder:   plainOrder(),
		ForkTitle:     true,
	}
}

func plainOrder() []string {
	return []string{"version", "id", "timestamp", "cwd", "parentSession"}
}
