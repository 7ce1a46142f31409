package replay

import (
	"iter"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// TranscriptOptions say what of a branch a transcript shows (omp 18.2.3,
// buildSessionContext with transcript).
type TranscriptOptions struct {
	// Collapse leaves out what the compaction in effect, or a later reset, put away.
	Collapse bool
	// KeepCalls keeps calls that have no result yet, while a turn is under way.
	KeepCalls bool
}

// What stands for the summary of a compaction that is not in effect any more (omp
// 18.2.3).
const (
	supersededSummary = "[Superseded compaction summary elided after a newer compaction]"
	supersededShort   = "Superseded compaction elided"
)

// A Line is one message of a transcript.
type Line struct {
	// JSON is the message: as stored, but for calls that were taken out, which
	// strippedToolCalls counts.
	JSON entry.JSON
	// MissExplained says of an answer that something before it explains why the
	// provider's cache did not help: another model, a compaction, a change to or from
	// planning.
	MissExplained bool
}

// Transcript yields what a person is shown of a branch: failed turns, messages that
// are hidden from the model and all compactions included. path is as for Build. The
// error is that of an entry that cannot be loaded.
func Transcript[F form](l *entry.List, path []int, rules F, o TranscriptOptions) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		t, err := newTranscript(l, path, rulesOf(rules), o)
		if err == nil {
			err = t.walk()
		}
		if err != nil {
			yield(Line{}, err)
			return
		}
		t.pair()
		for _, line := range t.lines {
			if !yield(line, nil) {
				return
			}
		}
	}
}

// transcript is a branch on its way.
type transcript struct {
	c       *Context
	o       TranscriptOptions
	lines   []Line
	reset   bool   // the next answer's cache miss is explained
	planned bool   // the mode is that of planning
	model   string // of the last answer, "" for none
}

func newTranscript(l *entry.List, path []int, rules spelling.Rules, o TranscriptOptions) (*transcript, error) {
	rules.Prune, rules.Custom.Hidden, rules.NotesType, rules.EditType = nil, nil, "", ""
	rules.Compaction.Rollover = ""
	if o.Collapse {
		rules.Compaction.Archive = false
	}
	c, err := Build(l, path, rules)
	return &transcript{c: c, o: o}, err
}

// walk gathers the messages.
func (t *transcript) walk() error {
	c := t.c
	switch {
	case !t.o.Collapse:
		for at := range c.path {
			if err := t.inline(at); err != nil {
				return err
			}
		}
		return nil
	case c.reset >= 0 && c.summary == nil:
		return t.entries(c.reset+1, len(c.path))
	case c.summary == nil:
		return t.entries(0, len(c.path))
	}
	if err := t.kept(); err != nil {
		return err
	}
	if err := t.heed(c.cut); err != nil {
		return err
	}
	t.push(c.summary.json, entry.RoleCompactionSummary)
	return t.entries(c.cut+1, len(c.path))
}

// kept gathers what the compaction in effect kept, from the first request of it on.
func (t *transcript) kept() error {
	c := t.c
	from := c.summary.tail
	if from < 0 || from >= c.cut {
		return nil
	}
	start := from
	for at := from; at < c.cut; at++ {
		if t.begins(c.path[at]) {
			start = at
			break
		}
	}
	for at := from; at < start; at++ {
		if err := t.heed(at); err != nil {
			return err
		}
		if i := c.path[at]; c.list.Role(i) == entry.RoleAssistant {
			body, err := c.body(i)
			if err != nil {
				return err
			}
			t.track(body)
		}
	}
	return t.entries(start, c.cut)
}

// begins reports whether a turn begins with an entry.
func (t *transcript) begins(i int) bool {
	switch t.c.list.Kind(i) {
	case entry.BranchSummary, entry.CustomMessage:
		return true
	case entry.Message:
		role := t.c.list.Role(i)
		return role == entry.RoleUser || role == entry.RoleBash
	}
	return false
}

// entries gathers the messages of a part of the path.
func (t *transcript) entries(from, to int) error {
	for at := from; at < to; at++ {
		if err := t.entry(at); err != nil {
			return err
		}
	}
	return nil
}

// entry gathers the message of one entry that is no compaction.
func (t *transcript) entry(at int) error {
	if err := t.heed(at); err != nil {
		return err
	}
	i := t.c.path[at]
	switch t.c.list.Kind(i) {
	case entry.Message, entry.CustomMessage, entry.BranchSummary:
	default:
		return nil
	}
	if !t.c.rules.Acts.Has(t.c.list.Kind(i)) {
		return nil
	}
	m, ok, err := t.c.message(&step{at: int32(i)})
	if err != nil || !ok {
		return err
	}
	t.push(m.JSON, m.Role)
	return nil
}

// inline gathers an entry of a whole transcript: compactions stand where they were
// made, and only that in effect says what it sums up.
func (t *transcript) inline(at int) error {
	c := t.c
	i := c.path[at]
	if c.list.Kind(i) != entry.Compaction || !c.rules.Acts.Has(entry.Compaction) {
		return t.entry(at)
	}
	if err := t.heed(at); err != nil {
		return err
	}
	line, err := c.load(i)
	if err != nil {
		return err
	}
	if again, err := t.replaced(at, line); again || err != nil {
		return err
	}
	preserved, _ := jsonedit.Get(line, "preserveData")
	if last := t.last(); i != last {
		line = jsonedit.Set(jsonedit.Set(line, "summary", jsonedit.Quoted(supersededSummary)), "shortSummary", jsonedit.Quoted(supersededShort))
		preserved = nil
	}
	t.push(c.summaryMessage(line, nil, preserved, c.list.Time(i), entry.NoTime), entry.RoleCompactionSummary)
	return nil
}

// last returns the last compaction of the path.
func (t *transcript) last() int {
	for at := len(t.c.path) - 1; at >= 0; at-- {
		if i := t.c.path[at]; t.c.list.Kind(i) == entry.Compaction {
			return i
		}
	}
	return -1
}

// replaced reports whether the next entry is the same compaction, made again.
func (t *transcript) replaced(at int, line entry.JSON) (bool, error) {
	const frames = "snapcompact"
	if at+1 >= len(t.c.path) || t.c.list.Kind(t.c.path[at+1]) != entry.Compaction {
		return false, nil
	}
	next, err := t.c.load(t.c.path[at+1])
	if err != nil {
		return false, err
	}
	same := func(key string) bool {
		a, _ := jsonedit.Get(line, key)
		b, _ := jsonedit.Get(next, key)
		return string(a) == string(b)
	}
	method, _ := jsonedit.Text(line, "method")
	id, _ := jsonedit.Get(line, "id")
	parent, _ := jsonedit.Get(next, "parentId")
	return method == frames && same("method") && same("firstKeptEntryId") && same("tokensBefore") && string(id) == string(parent), nil
}

// heed notes what explains that a cache does not help.
func (t *transcript) heed(at int) error {
	i := t.c.path[at]
	switch t.c.list.Kind(i) {
	case entry.Compaction, entry.ModelChange:
		t.reset = true
	case entry.ModeChange:
		line, err := t.c.load(i)
		if err != nil {
			return err
		}
		mode, _ := jsonedit.Text(line, "mode")
		t.reset = t.reset || (mode == "plan") != t.planned
		t.planned = mode == "plan"
	}
	return nil
}

// track notes the model of an answer and reports whether its miss is explained.
func (t *transcript) track(answer entry.JSON) bool {
	provider, _ := jsonedit.Text(answer, "provider")
	model, _ := jsonedit.Text(answer, "model")
	now := provider + "/" + model
	explained := t.reset || t.model != "" && t.model != now
	t.model, t.reset = now, false
	return explained
}

func (t *transcript) push(message entry.JSON, role entry.Role) {
	t.lines = append(t.lines, Line{JSON: message, MissExplained: role == entry.RoleAssistant && t.track(message)})
}

// pair takes out the calls that have no result among the messages, and says how many.
func (t *transcript) pair() {
	if t.o.KeepCalls || t.c.rules.Acts == 0 {
		return
	}
	answered := map[string]bool{}
	for _, line := range t.lines {
		if role, _ := jsonedit.Text(line.JSON, "role"); role == entry.RoleToolResult.String() {
			id, _ := jsonedit.Text(line.JSON, "toolCallId")
			answered[id] = true
		}
	}
	for n, line := range t.lines {
		if role, _ := jsonedit.Text(line.JSON, "role"); role != entry.RoleAssistant.String() {
			continue
		}
		ids, dangling := callsOf(line.JSON, answered)
		if !dangling {
			continue
		}
		stripped := 0
		for _, id := range ids {
			if !answered[id] {
				stripped++
			}
		}
		t.lines[n].JSON = jsonedit.Set(mend(line.JSON, answered), "strippedToolCalls", jsonedit.IntValue(int64(stripped)))
	}
}
