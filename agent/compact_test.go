package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

// A scribe is a compactor that keeps what it was asked and answers "summary 1",
// "summary 2" and so on.
type scribe struct {
	*rig
	window int
	asked  []compact.Request
	then   func() // is done before an answer
	wait   func(context.Context) error
}

func (s *scribe) Limits() (int, int) { return s.window, 1000 }

func (s *scribe) Complete(ctx context.Context, q compact.Request) (agent.Completion, error) {
	s.asked = append(s.asked, q)
	if s.then != nil {
		s.then()
	}
	if s.wait != nil {
		return agent.Completion{}, s.wait(ctx)
	}
	c := agent.Completion{
		Text:  fmt.Sprintf("summary %d", len(s.asked)),
		Usage: entry.JSON(`{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15,"cost":{"input":0.5,"output":0.25,"cacheRead":0,"cacheWrite":0,"total":0.75}}`),
	}
	return c, s.step("ask")
}

// scribing gives the agent a compactor and has it keep little.
func (r *rig) scribing() *scribe {
	s := &scribe{rig: r}
	r.opt.Compactor = s
	r.opt.Settings.Compaction.KeepRecent = 11
	return s
}

// talk is a session of three turns with much in each.
func (r *rig) talk() string {
	text := strings.Repeat("word ", 40) // the last turn takes 11 tokens
	return r.file("talk.jsonl", header("talk"), says("u1", "", text), answers("a1", "u1", text), says("u2", "a1", text),
		answers("a2", "u2", text), says("u3", "a2", text[:40]), answers("a3", "u3", "done"))
}

// compaction reads an entry of that kind.
func (r *rig) compaction(id entry.ID) *entry.CompactionBody {
	r.t.Helper()
	e, err := r.agent.Session().Entry(id)
	if err != nil {
		r.t.Fatal(err)
	}
	b, err := e.Body()
	if err != nil {
		r.t.Fatal(err)
	}
	return b.(*entry.CompactionBody)
}

func (r *rig) tellCompaction() {
	on(r, func(e agent.SessionBeforeCompact) string {
		return fmt.Sprintf("%d of %d, %q", len(e.Preparation.(*compaction.Preparation).Summarize)+len(e.Preparation.(*compaction.Preparation).Prefix), len(e.BranchEntries), e.CustomInstructions)
	})
	on(r, func(e agent.SessionCompacting) string { return fmt.Sprintf("%s %d", e.SessionID, len(e.Messages)) })
	on(r, func(e agent.SessionCompact) string {
		return fmt.Sprintf("%v %v", e.CompactionEntry != "", e.FromExtension)
	})
}

func TestCompactOrder(t *testing.T) {
	for _, d := range spelling.All() {
		t.Run(string(d.Name), func(t *testing.T) {
			r := newRig(t)
			s := r.scribing()
			r.opt.Session.Dialect = d.Name
			r.start(r.talk())
			r.tellCompaction()
			r.fill()
			c, err := r.agent.Compact(ctx, agent.CompactOptions{Instructions: "the config"})
			if err != nil {
				t.Fatal(err)
			}
			want := []string{
				"disconnect", "stop", `session_before_compact 4 of 7, "the config"`, "session.compacting talk 4", "ask", "ask",
				"messages 3", "connect", "session_compact true false",
			}
			short := "summary 2"
			if d.Name == dialect.Pi { // has no line for lists
				want, short = slices.Delete(want, 5, 6), ""
			}
			r.wantSteps(want...)
			b := r.compaction(c.Entry)
			if b.Summary != "summary 1" || b.FirstKeptEntryID != "u3" || b.ShortSummary != short || c.Summary != b.Summary ||
				int64(c.TokensBefore) != b.TokensBefore || c.TokensAfter >= 100 || c.FromExtension {
				t.Errorf("%+v, entry %+v", c, b)
			}
			got := r.state()
			if got.Leaf != c.Entry || len(got.Queued) != 3 || !strings.Contains(got.Messages[0], `"summary":"summary 1"`) || !got.Connected {
				t.Errorf("state %+v", got)
			}
			if p := s.asked[0].Prompt; !strings.Contains(p, "the config") || strings.Count(p, "[user]") != 2 {
				t.Errorf("asked %s", p)
			}
			usage := map[bool]string{true: `"total":0.75`, false: `"total":1.5`}[d.Name == dialect.Pi]
			if !strings.Contains(string(c.Usage), usage) || (b.Usage != nil) != (d.Name == dialect.Pi) {
				t.Errorf("usage %s, in the entry %s", c.Usage, b.Usage)
			}
		})
	}
}

func TestCompactFailsAtEachStep(t *testing.T) {
	for _, reason := range []agent.CompactReason{agent.Manual, agent.Threshold, agent.Overflow} {
		for n := 1; ; n++ {
			r := newRig(t)
			r.scribing()
			r.start(r.talk())
			r.fill()
			was, disk := r.state(), r.disk()
			r.fail = n
			_, err := r.agent.Compact(ctx, agent.CompactOptions{Reason: reason})
			if err == nil && r.fail == 0 {
				continue // lists do without their line
			}
			if err == nil {
				if steps := map[bool]int{true: 5, false: 4}[reason == agent.Manual]; n != steps {
					t.Errorf("%s: %d steps can fail", reason, n-1)
				}
				break
			}
			if !errors.Is(err, errInjected) {
				t.Fatal(err)
			}
			if d := same(was, r.state()); d != "" {
				t.Errorf("%s, step %d (-was +now):\n%s", reason, n, d)
			}
			written := strings.HasPrefix(r.steps[len(r.steps)-1], "messages") || slices.Contains(r.steps, "messages 3")
			if d := cmp.Diff(disk, r.disk()); d != "" && !written {
				t.Errorf("%s, step %d:\n%s", reason, n, d)
			}
			if _, err := r.agent.Session().Append(ctx, user("more")); err != nil {
				t.Errorf("%s, step %d: %v", reason, n, err)
			}
		}
	}
}

// Whichever call of the file system fails, the session goes on where it was, or
// has been compacted; and what is written next is what is read again.
func TestCompactFailsAtEachFileOperation(t *testing.T) {
	done := false
	for n := int64(1); !done; n++ {
		r := newRig(t)
		faulty := &errorfs.Counter{Fault: errorfs.Fault{Err: errInjected}}
		var on atomic.Bool // a lock is given back by a timer
		r.opt.Session = vfs.On(r.opt.Session, errorfs.Wrap(vfs.OS(), func(op errorfs.Op) *errorfs.Fault {
			if !on.Load() {
				return nil
			}
			return faulty.Inject(op)
		}))
		r.scribing()
		path := r.talk()
		r.start(path)
		was := r.state()
		faulty.At = n
		on.Store(true)
		c, err := r.agent.Compact(ctx, agent.CompactOptions{})
		on.Store(false)
		done = !faulty.Fired()
		if done && (n < 3 || err != nil) {
			t.Fatalf("%d operations, %v", n-1, err)
		}
		if err != nil {
			if d := same(was, r.state()); d != "" {
				t.Errorf("operation %d (-was +now):\n%s", n, d)
			}
		} else if got := r.state(); got.Leaf != c.Entry {
			t.Errorf("operation %d: leaf %s", n, got.Leaf)
		}
		next, err2 := r.agent.Session().Append(ctx, user("more"))
		if err2 != nil {
			t.Fatalf("operation %d: %v", n, err2)
		}
		o := r.opt.Session
		o.ReadOnly = true
		s, err3 := session.Open(ctx, path, o)
		if err3 != nil {
			t.Fatal(err3)
		}
		if e, err := s.Entry(next); err != nil || s.LeafPosition() != s.Len()-1 || (e.ParentID == was.Leaf) == (c.Entry != "") {
			t.Errorf("operation %d: %+v, %v", n, e, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// What fails while the model writes changes nothing.
func TestCompactInterrupted(t *testing.T) {
	tests := []struct {
		name string
		then func(r *rig, cancel func())
		want string
	}{
		{"cancelled", func(_ *rig, cancel func()) { cancel() }, "context canceled"},
		{"the leaf went elsewhere", func(r *rig, _ func()) {
			if err := r.agent.Session().MoveLeaf("u1"); err != nil {
				r.t.Error(err)
			}
		}, "not on the branch"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			s := r.scribing()
			r.start(r.talk())
			was, disk := r.state(), r.disk()
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			s.then = func() { test.then(r, cancel) }
			if _, err := r.agent.Compact(ctx, agent.CompactOptions{}); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Error(err)
			}
			if d := same(was, r.state()); d != "" {
				t.Errorf("(-was +now):\n%s", d)
			}
			if d := cmp.Diff(disk, r.disk()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestCompactOfAHook(t *testing.T) {
	tests := []struct {
		name      string
		reply     agent.Reply
		summary   string
		first     entry.ID
		cancelled bool
		wrong     string
	}{
		{name: "cancels", reply: agent.Reply{Cancel: true}, cancelled: true},
		{name: "a summary", reply: agent.Reply{Summary: &compact.Result{Summary: "mine"}}, summary: "mine", first: "u3"},
		{name: "an entry", reply: agent.Reply{Compaction: &entry.CompactionBody{Summary: "mine", FirstKeptEntryID: "u2"}}, summary: "mine", first: "u2"},
		{name: "both", reply: agent.Reply{Summary: &compact.Result{Summary: "mine"}, Compaction: &entry.CompactionBody{FirstKeptEntryID: "a2"}}, summary: "mine", first: "a2"},
		{name: "nowhere", reply: agent.Reply{Compaction: &entry.CompactionBody{Summary: "mine", FirstKeptEntryID: "gone"}}, wrong: "not on the branch"},
		{name: "nothing", reply: agent.Reply{Compaction: &entry.CompactionBody{FirstKeptEntryID: "u2"}}, wrong: "no summary"},
	}
	for _, d := range []dialect.Name{dialect.Pi, dialect.Cambium} {
		for _, test := range tests {
			t.Run(string(d)+" "+test.name, func(t *testing.T) {
				r := newRig(t) // without a model
				r.opt.Settings.Compaction.KeepRecent = 11
				r.opt.Session.Dialect = d
				agent.On(r.hooks, func(context.Context, agent.SessionBeforeCompact) (agent.Reply, error) { return test.reply, nil })
				r.start(r.talk())
				was, disk := r.state(), r.disk()
				c, err := r.agent.Compact(ctx, agent.CompactOptions{})
				if test.cancelled || test.wrong != "" {
					if c.Cancelled != test.cancelled || (err == nil) != (test.wrong == "") || err != nil && !strings.Contains(err.Error(), test.wrong) {
						t.Errorf("%+v, %v", c, err)
					}
					if d := same(was, r.state()) + cmp.Diff(disk, r.disk()); d != "" {
						t.Errorf("(-was +now):\n%s", d)
					}
					return
				}
				if err != nil || !c.FromExtension {
					t.Fatalf("%+v, %v", c, err)
				}
				b := r.compaction(c.Entry)
				mark := b.FromExtension
				if d == dialect.Pi {
					mark = b.FromHook
				}
				if b.Summary != test.summary || b.FirstKeptEntryID != test.first || mark == nil || !*mark || b.TokensBefore == 0 {
					t.Errorf("entry %+v", b)
				}
			})
		}
	}
}

func TestCompacting(t *testing.T) {
	r := newRig(t)
	s := r.scribing()
	agent.On(r.hooks, func(context.Context, agent.SessionCompacting) (agent.Reply, error) {
		return agent.Reply{Context: []string{"the port is 80"}, Prompt: "In verse.", PreserveData: entry.JSON(`{"k":1}`)}, nil
	})
	r.start(r.talk())
	c, err := r.agent.Compact(ctx, agent.CompactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if p := s.asked[0].Prompt; !strings.Contains(p, "the port is 80") || !strings.Contains(p, "In verse.") {
		t.Errorf("asked %s", p)
	}
	if b := r.compaction(c.Entry); string(b.PreserveData) != `{"k":1}` {
		t.Errorf("entry %+v", b)
	}
}

// A text of the user needs no model; without either it is refused.
func TestCompactWithoutAModel(t *testing.T) {
	r := newRig(t)
	r.opt.Settings.Compaction.KeepRecent = 11
	r.start(r.talk())
	was := r.state()
	if _, err := r.agent.Compact(ctx, agent.CompactOptions{}); err == nil || err.Error() != "No model available for summarization" {
		t.Error(err)
	}
	if d := same(was, r.state()); d != "" {
		t.Error(d)
	}
	c, err := r.agent.Compact(ctx, agent.CompactOptions{Summary: "We said words."})
	if err != nil || r.compaction(c.Entry).Summary != "We said words." || c.Usage != nil {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := r.agent.Compact(ctx, agent.CompactOptions{Summary: "again"}); !errors.Is(err, compact.ErrCompacted) {
		t.Error(err)
	}
}

func TestCompactRefuses(t *testing.T) {
	for _, look := range []bool{false, true} {
		r := newRig(t)
		r.scribing()
		r.opt.Session.ReadOnly = look
		r.start(r.file("short.jsonl", header("short"), says("u1", "", "hi")))
		want := compact.ErrNothing
		if look {
			want = session.ErrReadOnly
		}
		if _, err := r.agent.Compact(ctx, agent.CompactOptions{}); !errors.Is(err, want) {
			t.Error(err)
		}
		if got := r.state(); !got.Connected {
			t.Error("nobody listens any more")
		}
	}
}

// A second compaction goes on from what the first kept, and brings its summary up
// to date.
func TestCompactAgain(t *testing.T) {
	for _, d := range spelling.All() {
		t.Run(string(d.Name), func(t *testing.T) {
			r := newRig(t)
			s := r.scribing()
			r.opt.Session.Dialect = d.Name
			r.start(r.talk())
			if _, err := r.agent.Compact(ctx, agent.CompactOptions{}); err != nil {
				t.Fatal(err)
			}
			text := strings.Repeat("later ", 40)
			for _, said := range []string{text, text} {
				if _, err := r.agent.Session().Append(ctx, user(said)); err != nil {
					t.Fatal(err)
				}
			}
			last, _ := r.agent.Session().Leaf()
			s.asked = nil
			c, err := r.agent.Compact(ctx, agent.CompactOptions{})
			if err != nil {
				t.Fatal(err)
			}
			p := s.asked[0].Prompt
			if !strings.Contains(p, "summary 1\n") || !strings.Contains(p, "[assistant] done") || !strings.Contains(p, "later") || strings.Count(p, "[user]") != 2 {
				t.Errorf("asked %s", p)
			}
			b := r.compaction(c.Entry)
			if b.Summary != "summary 1" || b.FirstKeptEntryID != last {
				t.Errorf("entry %+v", b)
			}
			if got := r.state(); len(got.Messages) != 2 {
				t.Errorf("messages %q", got.Messages)
			}
		})
	}
}

// What does not fit the model's window is summed up in portions, each with the
// summary of those before it.
func TestCompactInPortions(t *testing.T) {
	r := newRig(t)
	s := r.scribing()
	s.window = 2000
	text := strings.Repeat("word ", 600)
	lines := []string{header("long")}
	parent := ""
	for i := range 6 {
		q, a := fmt.Sprintf("u%d", i), fmt.Sprintf("a%d", i)
		lines = append(lines, says(q, parent, text), answers(a, q, text))
		parent = a
	}
	r.opt.Session.Dialect = dialect.Pi
	r.start(r.file("long.jsonl", append(lines, says("last", parent, text))...))
	c, err := r.agent.Compact(ctx, agent.CompactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.asked) < 3 || c.Summary != fmt.Sprintf("summary %d", len(s.asked)) {
		t.Fatalf("asked %d times, %q", len(s.asked), c.Summary)
	}
	for i, q := range s.asked {
		if q.Part != i+1 || q.Parts < len(s.asked) || q.Parts > len(s.asked)+1 {
			t.Errorf("request %d of %d says that it is %d of %d", i+1, len(s.asked), q.Part, q.Parts)
		}
	}
	for i, q := range s.asked[1:] {
		if !strings.Contains(q.Prompt, fmt.Sprintf("<previous-summary>\nsummary %d\n", i+1)) {
			t.Errorf("request %d does not go on from the one before", i+2)
		}
	}
	if want := fmt.Sprintf(`"input":%d`, 10*len(s.asked)); !strings.Contains(string(c.Usage), want) {
		t.Errorf("usage %s", c.Usage)
	}
}

// A summary of a hook carries the system message of pi on as of now.
func TestASummaryOfAHookIsOfNow(t *testing.T) {
	r := newRig(t)
	r.opt.Settings.Compaction.KeepRecent = 1
	r.opt.Session.Dialect = dialect.Pi
	r.opt.Session.Now = func() time.Time { return time.UnixMilli(1234) }
	agent.On(r.hooks, func(context.Context, agent.SessionBeforeCompact) (agent.Reply, error) {
		return agent.Reply{Summary: &compact.Result{Summary: "mine"}}, nil
	})
	r.start(r.file("system.jsonl", header("system"),
		line("message", "s", "", `"message":{"role":"system","content":"be kind","timestamp":1}`),
		says("u1", "s", "one two three"), answers("a1", "u1", "four five six"), says("u2", "a1", "seven eight nine")))
	c, err := r.agent.Compact(ctx, agent.CompactOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if b := r.compaction(c.Entry); !strings.HasSuffix(string(b.SystemMessage), `"timestamp":1234}`) {
		t.Errorf("system message %s", b.SystemMessage)
	}
}
