package shellhook

import (
	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/session"
)

// event returns what a command is told: the type, the published members, and of
// every event sessionId, sessionFile and, as cwd, where the agent works. Members that are published as
// undefined are not there. Entries and messages are the bytes that are stored.
func event(e agent.Event, s *session.Session, dir string) []byte {
	var o jsonedit.Object
	o.String("type", agent.Name(e))
	payload(&o, e, s)
	if _, ok := e.(agent.SessionCompacting); !ok && s != nil {
		o.String("sessionId", s.ID())
	}
	if s != nil {
		given(&o, "sessionFile", s.Path())
	}
	o.String("cwd", dir)
	return append(o.Value(), '\n')
}

// payload adds what an event has of its own (published; pi 0.87.1, omp 18.2.3).
func payload(o *jsonedit.Object, e agent.Event, s *session.Session) {
	switch e := e.(type) {
	case agent.SessionStart:
		o.String("reason", string(e.Reason))
	case agent.SessionBeforeSwitch:
		o.String("reason", string(e.Reason))
		given(o, "targetSessionFile", e.TargetSessionFile)
	case agent.SessionSwitch:
		o.String("reason", string(e.Reason))
		given(o, "previousSessionFile", e.PreviousSessionFile)
	case agent.SessionBeforeBranch:
		o.String("entryId", e.EntryID)
	case agent.SessionBranch:
		given(o, "previousSessionFile", e.PreviousSessionFile)
	case agent.SessionBeforeTree:
		o.Add("preparation", preparation(e.Preparation))
	case agent.SessionTree:
		orNull(o, "newLeafId", e.NewLeafID)
		orNull(o, "oldLeafId", e.OldLeafID)
		if e.SummaryEntry != "" {
			o.Add("summaryEntry", stored(s, e.SummaryEntry)).Bool("fromExtension", e.FromExtension)
		}
	case agent.SessionBeforeCompact:
		if e.Preparation != nil {
			o.Add("preparation", e.Preparation.JSON())
		}
		o.Add("branchEntries", entries(e.BranchEntries))
		given(o, "customInstructions", e.CustomInstructions)
	case agent.SessionCompacting:
		o.String("sessionId", e.SessionID).Add("messages", jsonedit.List(e.Messages))
	case agent.SessionCompact:
		o.Add("compactionEntry", stored(s, e.CompactionEntry)).Bool("fromExtension", e.FromExtension)
	}
}

func preparation(p agent.TreePreparation) entry.JSON {
	var o jsonedit.Object
	o.String("targetId", p.TargetID)
	orNull(&o, "oldLeafId", p.OldLeafID)
	orNull(&o, "commonAncestorId", p.CommonAncestorID)
	o.Add("entriesToSummarize", entries(p.EntriesToSummarize)).Bool("userWantsSummary", p.UserWantsSummary)
	given(&o, "customInstructions", p.CustomInstructions)
	return o.Value()
}

func entries(all []entry.Entry) entry.JSON {
	var a jsonedit.Array
	for _, e := range all {
		a.Add(e.Raw())
	}
	return a.Value()
}

// stored returns an entry of the session; where it cannot be read, its id is all
// that is known of it.
func stored(s *session.Session, id entry.ID) entry.JSON {
	if s != nil {
		if e, err := s.Entry(id); err == nil {
			return e.Raw()
		}
	}
	var o jsonedit.Object
	return o.String("id", id).Value()
}

// given adds a text that is undefined where it is empty.
func given(o *jsonedit.Object, key, text string) {
	if text != "" {
		o.String(key, text)
	}
}

func orNull(o *jsonedit.Object, key string, id *entry.ID) {
	if id == nil {
		o.Null(key)
		return
	}
	o.String(key, *id)
}
