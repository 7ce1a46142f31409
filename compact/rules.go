package compact

import (
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// Rules say how one dialect compacts. The zero Rules count and cut nothing; take
// them from [RulesOf]. They are a value, to be copied and not changed.
type Rules struct {
	// replay and llm are the dialect's rules for what the model sees.
	replay  spelling.Rules
	llm     spelling.LLM
	Count   Counting
	Cutting CutRules
	Pruning PruneRules
	Files   FileRules
	// WholeReserve reserves what the settings say however large the window is
	// (pi); otherwise at least 15 % of the window.
	WholeReserve bool
	// Scaled makes what is kept smaller by how much more tokens the provider
	// counted than were estimated (omp, xcsh).
	Scaled bool
	// BranchResults sums up the results of tools on a branch too (omp);
	// otherwise the calls tell enough.
	BranchResults bool
	// FromHook, Usage and System say that what is appended is marked fromHook
	// (otherwise fromExtension), tells what the summary cost, and repeats the
	// system message in force (pi).
	FromHook, Usage, System bool
	// Outcome says that a compaction tells how and with what result it was made
	// (omp).
	Outcome bool
}

// Counting says how the tokens of a message are estimated.
type Counting struct {
	// Bytes counts a quarter of the UTF-8 bytes of each fragment, rounded up
	// (omp, for a model whose tokenizer is not known); otherwise it is a quarter
	// of the UTF-16 units of the whole message.
	Bytes bool
	// Image is what a picture counts: tokens if Bytes, else units.
	Image int
	// Roles are those whose messages count; others count 0.
	Roles Roles
	// Images are the roles whose pictures count.
	Images Roles
	// Sealed counts the signatures and encrypted reasoning that a provider is
	// sent back (omp).
	Sealed bool
}

// Roles is a set of roles.
type Roles uint32

// RolesOf returns the set of the given roles.
func RolesOf(roles ...entry.Role) Roles {
	var set Roles
	for _, r := range roles {
		set |= 1 << r
	}
	return set
}

// Has reports whether r is in the set.
func (s Roles) Has(r entry.Role) bool { return s&(1<<r) != 0 }

// CutRules say where the kept part begins.
type CutRules struct {
	// Points are the roles of messages that may begin the kept part, Starts
	// those that begin a turn. Entries of type custom_message and branch_summary
	// do both.
	Points, Starts Roles
	// Split are the roles at which a cut splits no turn; if it is empty those are
	// Starts, and entries that begin a turn (xcsh has user messages alone).
	Split Roles
	// Entries says that only entries of type message count (xcsh).
	Entries bool
	// Groups keeps whole groups, from one cut point to the next, as long as their
	// sum is not over the budget, and the newest in any case (omp). Otherwise the
	// walk ends where the sum reaches the budget, and the cut is the first point
	// from there on.
	Groups bool
	// Last cuts at the last point where none follows (pi); otherwise at the
	// first, which keeps everything.
	Last bool
	// BackOver moves the cut back over everything but messages (xcsh); otherwise
	// over what yields none.
	BackOver bool
	// AtPoint says that a turn is split by the point itself, and that the kept
	// part begins with it, not with what the cut moves back over (omp).
	AtPoint bool
	// Omitted lets the cut pass a last input whose answers were all edited away
	// (pi).
	Omitted bool
}

// PruneRules say which results of tools are cut to a notice.
type PruneRules struct {
	// Protect is how many tokens of the newest results stay, Minimum how many
	// must be saved for anything to be pruned, Floor how large a result must be.
	Protect, Minimum, Floor int
	// Tools are those whose results are never pruned.
	Tools []string
	// Reads are beginnings of paths; results of reading such are not pruned.
	Reads []string
	// Useless prunes results that their tool marked useless, Superseded those
	// of a read whose file was read again, both at any age (omp).
	Useless, Superseded bool
}

// FileRules say which files a conversation read and changed.
type FileRules struct {
	// Plain leaves out what is no path of a file system, and the part of a path
	// that names lines (omp).
	Plain bool
}

// RulesOf returns the rules of a dialect.
func RulesOf(name dialect.Name) Rules {
	d := spelling.For(name)
	var r Rules
	switch name {
	case dialect.Pi:
		r = piRules()
	case dialect.Omp:
		r = ompRules()
	default:
		r = xcshRules()
	}
	r.replay, r.llm, r.FromHook = d.Replay, d.LLM, d.FromHook
	return r
}

// piRules are those of pi 0.87.1. It prunes nothing by itself; where it is asked
// to, xcsh's numbers hold.
func piRules() Rules {
	said := RolesOf(entry.RoleUser, entry.RoleBash, entry.RoleCustom, entry.RoleBranchSummary, entry.RoleCompactionSummary)
	counted := said | RolesOf(entry.RoleAssistant, entry.RoleToolResult, entry.RoleSystem)
	return Rules{
		Count:        Counting{Image: 4800, Roles: counted, Images: counted},
		Cutting:      CutRules{Points: said | RolesOf(entry.RoleAssistant), Starts: said, Last: true, Omitted: true},
		Pruning:      plainPruning(),
		WholeReserve: true,
		Usage:        true,
		System:       true,
	}
}

// ompRules are those of omp 18.2.3 for a model whose tokenizer it does not know.
func ompRules() Rules {
	points := RolesOf(entry.RoleUser, entry.RoleAssistant, entry.RoleBash, entry.RoleHook, entry.RoleBranchSummary, entry.RoleCompactionSummary)
	content := RolesOf(entry.RoleUser, entry.RoleDeveloper, entry.RoleCustom, entry.RoleHook, entry.RoleToolResult)
	prune := plainPruning()
	prune.Floor, prune.Tools, prune.Reads = 50, []string{"skill"}, []string{"skill://"}
	prune.Useless, prune.Superseded = true, true
	return Rules{
		Count: Counting{
			Bytes: true, Image: 1200, Sealed: true, Images: content,
			Roles: content | points,
		},
		Cutting:       CutRules{Points: points, Starts: RolesOf(entry.RoleUser, entry.RoleBash), Groups: true, AtPoint: true},
		Pruning:       prune,
		Files:         FileRules{Plain: true},
		Scaled:        true,
		BranchResults: true,
		Outcome:       true,
	}
}

// xcshRules are those of xcsh 17.4.4, and cambium's, about which the published
// text is silent.
func xcshRules() Rules {
	points := RolesOf(entry.RoleUser, entry.RoleAssistant, entry.RoleBash, entry.RoleHook, entry.RoleBranchSummary, entry.RoleCompactionSummary)
	return Rules{
		Count: Counting{
			Image: 4800, Images: RolesOf(entry.RoleToolResult, entry.RoleHook),
			Roles: points | RolesOf(entry.RoleToolResult),
		},
		Cutting: CutRules{
			Points: points, Starts: RolesOf(entry.RoleUser, entry.RoleBash), Split: RolesOf(entry.RoleUser),
			Entries: true, BackOver: true,
		},
		Pruning: plainPruning(),
		Scaled:  true,
	}
}

// plainPruning are the numbers of xcsh 17.4.4.
func plainPruning() PruneRules {
	return PruneRules{Protect: 40_000, Minimum: 20_000, Tools: []string{"read", "skill"}}
}
