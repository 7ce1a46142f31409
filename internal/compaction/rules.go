package compaction

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
	cutting cutRules
	Pruning PruneRules
	files   fileRules
	// wholeReserve reserves what the settings say however large the window is
	// (pi); otherwise at least 15 % of the window.
	wholeReserve bool
	// scaled makes what is kept smaller by how much more tokens the provider
	// counted than were estimated (omp, xcsh).
	scaled bool
	// branchResults sums up the results of tools on a branch too (omp);
	// otherwise the calls tell enough.
	branchResults bool
	// fromHook, usage and System say that what is appended is marked fromHook
	// (otherwise fromExtension), tells what the summary cost, and repeats the
	// system message in force (pi).
	fromHook, usage, System bool
	// outcome says that a compaction tells how and with what result it was made
	// (omp).
	outcome bool
}

// Counting says how the tokens of a message are estimated.
type Counting struct {
	// bytes counts a quarter of the UTF-8 bytes of each fragment, rounded up
	// (omp, for a model whose tokenizer is not known); otherwise it is a quarter
	// of the UTF-16 units of the whole message.
	bytes bool
	// image is what a picture counts: tokens if Bytes, else units.
	image int
	// roles are those whose messages count; others count 0.
	roles Roles
	// images are the roles whose pictures count.
	images Roles
	// sealed counts the signatures and encrypted reasoning that a provider is
	// sent back (omp).
	sealed bool
}

// Roles is a set of roles.
type Roles uint32

// rolesOf returns the set of the given roles.
func rolesOf(roles ...entry.Role) Roles {
	var set Roles
	for _, r := range roles {
		set |= 1 << r
	}
	return set
}

// has reports whether r is in the set.
func (s Roles) has(r entry.Role) bool { return s&(1<<r) != 0 }

// cutRules say where the kept part begins.
type cutRules struct {
	// points are the roles of messages that may begin the kept part, starts
	// those that begin a turn. Entries of type custom_message and branch_summary
	// do both.
	points, starts Roles
	// split are the roles at which a cut splits no turn; if it is empty those are
	// Starts, and entries that begin a turn (xcsh has user messages alone).
	split Roles
	// entries says that only entries of type message count (xcsh).
	entries bool
	// groups keeps whole groups, from one cut point to the next, as long as their
	// sum is not over the budget, and the newest in any case (omp). Otherwise the
	// walk ends where the sum reaches the budget, and the cut is the first point
	// from there on.
	groups bool
	// last cuts at the last point where none follows (pi); otherwise at the
	// first, which keeps everything.
	last bool
	// backOver moves the cut back over everything but messages (xcsh); otherwise
	// over what yields none.
	backOver bool
	// atPoint says that a turn is split by the point itself, and that the kept
	// part begins with it, not with what the cut moves back over (omp).
	atPoint bool
	// omitted lets the cut pass a last input whose answers were all edited away
	// (pi).
	omitted bool
}

// PruneRules say which results of tools are cut to a notice.
type PruneRules struct {
	// Protect is how many tokens of the newest results stay, Minimum how many
	// must be saved for anything to be pruned, Floor how large a result must be.
	Protect, Minimum, Floor int
	// Tools are those whose results are never pruned.
	Tools []string
	// reads are beginnings of paths; results of reading such are not pruned.
	reads []string
	// useless prunes results that their tool marked useless, superseded those
	// of a read whose file was read again, both at any age (omp).
	useless, superseded bool
}

// fileRules say which files a conversation read and changed.
type fileRules struct {
	// plain leaves out what is no path of a file system, and the part of a path
	// that names lines (omp).
	plain bool
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
	r.replay, r.llm, r.fromHook = d.Replay, d.LLM, d.FromHook
	return r
}

// piRules are those of pi 0.87.1. It prunes nothing by itself; where it is asked
// to, xcsh's numbers hold.
func piRules() Rules {
	said := rolesOf(entry.RoleUser, entry.RoleBash, entry.RoleCustom, entry.RoleBranchSummary, entry.RoleCompactionSummary)
	counted := said | rolesOf(entry.RoleAssistant, entry.RoleToolResult, entry.RoleSystem)
	return Rules{
		Count:        Counting{image: 4800, roles: counted, images: counted},
		cutting:      cutRules{points: said | rolesOf(entry.RoleAssistant), starts: said, last: true, omitted: true},
		Pruning:      plainPruning(),
		wholeReserve: true,
		usage:        true,
		System:       true,
	}
}

// ompRules are those of omp 18.2.3 for a model whose tokenizer it does not know.
func ompRules() Rules {
	points := rolesOf(entry.RoleUser, entry.RoleAssistant, entry.RoleBash, entry.RoleHook, entry.RoleBranchSummary, entry.RoleCompactionSummary)
	content := rolesOf(entry.RoleUser, entry.RoleDeveloper, entry.RoleCustom, entry.RoleHook, entry.RoleToolResult)
	prune := plainPruning()
	prune.Floor, prune.Tools, prune.reads = 50, []string{"skill"}, []string{"skill://"}
	prune.useless, prune.superseded = true, true
	return Rules{
		Count: Counting{
			bytes: true, image: 1200, sealed: true, images: content,
			roles: content | points,
		},
		cutting:       cutRules{points: points, starts: rolesOf(entry.RoleUser, entry.RoleBash), groups: true, atPoint: true},
		Pruning:       prune,
		files:         fileRules{plain: true},
		scaled:        true,
		branchResults: true,
		outcome:       true,
	}
}

// xcshRules are those of xcsh 17.4.4, and cambium's, about which the published
// text is silent.
func xcshRules() Rules {
	points := rolesOf(entry.RoleUser, entry.RoleAssistant, entry.RoleBash, entry.RoleHook, entry.RoleBranchSummary, entry.RoleCompactionSummary)
	return Rules{
		Count: Counting{
			image: 4800, images: rolesOf(entry.RoleToolResult, entry.RoleHook),
			roles: points | rolesOf(entry.RoleToolResult),
		},
		cutting: cutRules{
			points: points, starts: rolesOf(entry.RoleUser, entry.RoleBash), split: rolesOf(entry.RoleUser),
			entries: true, backOver: true,
		},
		Pruning: plainPruning(),
		scaled:  true,
	}
}

// plainPruning are the numbers of xcsh 17.4.4.
func plainPruning() PruneRules {
	return PruneRules{Protect: 40_000, Minimum: 20_000, Tools: []string{"read", "skill"}}
}
