package print

import (
	"fmt"

	"github.com/cambium-dev/cambium/internal/console"
	"github.com/cambium-dev/cambium/internal/exchange"
	"github.com/cambium-dev/cambium/internal/term"
)

// jsonMoved is a session of which something was moved, as --json prints it.
type jsonMoved struct {
	ID            string          `json:"id"`
	Agent         string          `json:"agent"`
	Path          string          `json:"path,omitzero"`
	There         string          `json:"there,omitzero"`
	Out           exchange.Amount `json:"out"`
	In            exchange.Amount `json:"in"`
	Diverged      bool            `json:"diverged,omitzero"`
	Settled       int             `json:"settled,omitzero"`
	Damaged       int             `json:"damaged,omitzero"`
	Relinked      int             `json:"relinked,omitzero"`
	MissingBlobs  int             `json:"missingBlobs,omitzero"`
	LeftArtifacts int             `json:"leftArtifacts,omitzero"`
	DryRun        bool            `json:"dryRun,omitzero"`
}

// Moved prints what was moved of one session: always as JSON, else what would
// be.
func Moved(c *console.Console, m exchange.Moved, dry bool) {
	if c.JSON {
		_ = c.Emit(jsonMoved{m.ID, m.Agent, m.Here, m.There, m.Out, m.In, m.Diverged, m.Settled, m.Damaged, m.Relinked,
			m.MissingBlobs, m.LeftArtifacts, dry}) // Flush returns the error of the writer
		return
	}
	if dry {
		name := m.Here
		if name == "" {
			name = m.There
		}
		_, _ = c.Out.WriteString(wayWords("out", m.Out) + "\t" + wayWords("in", m.In) + "\t" + term.Line(name) + "\n") // as above
	}
}

// wayWords says what went one way.
func wayWords(way string, n exchange.Amount) string {
	text := way + " "
	if n.Sessions == 1 {
		text += "new, "
	}
	text += term.Plural(int(n.Entries), "entry")
	if n.Titles > 0 {
		text += ", name"
	}
	return text
}

// jsonSynced is how a sync ended, as --json prints it.
type jsonSynced struct {
	Synced struct {
		Sessions      int             `json:"sessions"`
		Out           exchange.Amount `json:"out"`
		In            exchange.Amount `json:"in"`
		Diverged      int             `json:"diverged"`
		Damaged       int             `json:"damaged"`
		Relinked      int             `json:"relinked"`
		MissingBlobs  int             `json:"missingBlobs"`
		LeftArtifacts int             `json:"leftArtifacts"`
		LeftLinks     int             `json:"leftLinks"`
		Failed        int             `json:"failed"`
		DryRun        bool            `json:"dryRun"`
	} `json:"synced"`
}

// Synced prints what was moved, after all; failed says that a sync did not come to its
// end.
func Synced(c *console.Console, rep exchange.Report, dry, failed bool) error {
	if c.JSON {
		var j jsonSynced
		j.Synced.Sessions, j.Synced.Out, j.Synced.In = rep.Sessions, rep.Out, rep.In
		j.Synced.Diverged, j.Synced.Damaged, j.Synced.Relinked, j.Synced.Failed = rep.Diverged, rep.Damaged, rep.Relinked, rep.Failed
		j.Synced.MissingBlobs, j.Synced.LeftArtifacts, j.Synced.DryRun = rep.MissingBlobs, rep.LeftArtifacts, dry
		j.Synced.LeftLinks = rep.LeftLinks
		return c.Emit(j)
	}
	if !failed || rep.Out != (exchange.Amount{}) || rep.In != (exchange.Amount{}) {
		syncCounts(c, rep, dry)
	}
	return nil
}

// syncCounts says in words what was moved.
func syncCounts(c *console.Console, rep exchange.Report, dry bool) {
	would := ""
	if dry {
		would = "would be "
	}
	amount := func(n exchange.Amount) string {
		text := fmt.Sprintf("%s (%s), %s, %s", term.Plural(int(n.Entries), "entry"), term.Plural(int(n.Sessions), "new session"),
			term.Bytes(n.Bytes), term.Plural(int(n.Blobs), "blob"))
		if n.Artifacts > 0 {
			text += ", " + term.Plural(int(n.Artifacts), "artifact")
		}
		if n.Titles > 0 {
			text += ", " + term.Plural(int(n.Titles), "name")
		}
		return text
	}
	if (rep.Out == exchange.Amount{} && rep.In == exchange.Amount{}) {
		c.Message(fmt.Sprintf("nothing to move: %s", term.Plural(rep.Sessions-min(rep.Failed, rep.Sessions), "session")))
	} else {
		c.Message(would + "sent: " + amount(rep.Out))
		c.Message(would + "received: " + amount(rep.In))
	}
	for _, say := range []struct {
		n    int
		text string
	}{
		{rep.Diverged, "%s had gone two ways, which are branches now"},
		{rep.Damaged, "%s with damaged lines, which were not sent; `cambium doctor` tells more"},
	} {
		if say.n > 0 {
			c.Message(fmt.Sprintf(say.text, term.Plural(say.n, "session")))
		}
	}
	if rep.Relinked > 0 {
		c.Message(fmt.Sprintf("%s whose parent is nowhere, sent with the one below which it is read", term.Plural(rep.Relinked, "entry")))
	}
	if rep.MissingBlobs > 0 {
		c.Message("missing on both sides: " + term.Plural(rep.MissingBlobs, "blob") + " that entries name")
	}
	if rep.LeftArtifacts > 0 {
		c.Message("too large, or named so that the other side cannot keep them: " + term.Plural(rep.LeftArtifacts, "artifact"))
	}
}
