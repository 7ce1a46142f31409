package print

import (
	"fmt"
	"strconv"

	"github.com/cambium-dev/cambium/convert"
	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/conversion"
	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
)

// Forked says where a session is that was made of another, and on stderr how it
// was converted.
func Forked(c *console.Console, f work.Forked) error {
	r := Placed(f.Whereabouts)
	if f.Converted == nil {
		return c.Print(r)
	}
	if !c.JSON {
		converted(c, *f.Converted)
	}
	r.JSON = PathForm{ID: f.ID, Path: f.Path, Parent: f.Parent, Report: f.Converted.Report}
	return c.Print(r)
}

// reasonWords says what a reason means, after the number of entries.
func reasonWords() []struct {
	reason convert.Reason
	words  string
} {
	return []struct {
		reason convert.Reason
		words  string
	}{
		{conversion.Restored, "taken back to what its own program wrote"},
		{conversion.Model, "with the model in another spelling"},
		{conversion.Thinking, "with the thinking level in another spelling"},
		{conversion.Tier, "with the service tier in another spelling"},
		{conversion.Title, "with the title in another spelling"},
		{conversion.Flag, "with another mark for extensions"},
		{conversion.From, "of a branch summary that names another entry"},
		{conversion.Edit, "that edits what the model sees, in another spelling (Cambium's is applied by Cambium alone)"},
		{conversion.Role, "said in a role that the agent has not"},
		{conversion.Block, "with hidden reasoning in another spelling"},
		{conversion.Stop, "with a reason to stop that the agent has not"},
		{conversion.Content, "without content"},
		{conversion.Filled, "whose usage was filled in"},
		{conversion.Accounting, "of accounting in another spelling"},
		{conversion.Reset, "that cleared the context, as a compaction"},
		{conversion.Hidden, "that the model did not see, set aside"},
		{conversion.Inert, "that meant nothing before, set aside"},
		{conversion.Image, "with an image that is kept in another place"},
		{conversion.Linked, "whose parent is nowhere, below the one that it is read as a child of"},
		{conversion.Whole, "with text that had been cut, whole again"},
		{conversion.Kind, "of a kind without meaning there, kept"},
		{conversion.Field, "with fields without meaning there, kept"},
		{conversion.Attribution, "whose speaker is not told there"},
		{conversion.System, "with a system message that is not sent there"},
		{conversion.Preserved, "of a compaction that is not rebuilt there"},
		{conversion.Pruned, "of a failed answer, which one of the two leaves out"},
		{conversion.Shown, "that is sent to the model there and was not before"},
		{conversion.Swallowed, "that is not sent to the model there"},
		{conversion.MissingBlob, "with an image that is not there"},
		{foreign.Renamed, "that calls a tool by the name that it has there"},
		{foreign.Reworded, "told as a text"},
		{foreign.Unsigned, "with reasoning that is not told: its provider did not sign it"},
		{foreign.Elsewhere, "of another branch, which is left out: the agent has one only"},
		{"command", "of a command that was run by hand, as a call of a tool"},
		{"moved", "told at another place"},
		{"unanswered", "with a call that was never answered, which failed there"},
		{"details", "whose details stand in an object of their own"},
		{"unsent", "that is kept there and not sent to the model"},
		{"kept", "that a compaction keeps in another way"},
		{"orphan", "of a result without its call, left out"},
		{foreign.Silent, "that is not told there, kept beside the others"},
	}
}

// converted says on stderr what a conversion did.
func converted(c *console.Console, done session.Converted) {
	r := done.Report
	c.Message(fmt.Sprintf("converted %s from %s to %s; %d spelled anew", term.Plural(r.Entries, "entry"), r.From, r.To, r.Changed))
	for _, w := range reasonWords() {
		if n := r.Counts[w.reason]; n > 0 {
			c.Message(fmt.Sprintf("  %s %s", term.Plural(n, "entry"), w.words))
		}
	}
	if r.To == "opencode" {
		c.Message("`opencode import FILE` takes the file in")
	}
}

// jsonMigrated says what a migration did.
type jsonMigrated struct {
	FromVersion float64 `json:"fromVersion"`
	ToVersion   float64 `json:"toVersion"`
	Migrated    bool    `json:"migrated"`
	Entries     int     `json:"entries"`
}

// Migrated says what a migration did, and where the session is.
func Migrated(c *console.Console, m work.Migrated) error {
	text := fmt.Sprintf("migrated from version %s to %s, %s", version(m.From), version(m.To), term.Plural(m.Entries, "entry"))
	if m.Current() {
		text = "it is of version " + version(m.From) + " already; nothing is to be done"
	}
	c.Note(m.Path, text)
	report := jsonMigrated{FromVersion: m.From, ToVersion: m.To, Migrated: m.Done, Entries: m.Entries}
	return c.Print(console.Result{Path: m.Path, JSON: PathForm{ID: m.ID, Path: m.Path, Parent: m.Parent, Report: report}})
}

// version writes a version as people do.
func version(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
