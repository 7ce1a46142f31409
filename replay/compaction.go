package replay

import (
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// summary is the compaction in effect, read.
type summary struct {
	at       int        // its position
	system   entry.JSON // message that comes first, or nil
	json     entry.JSON // the summary as a message
	first    int        // place on the path of firstKeptEntryId, or -1
	tail     int        // the same, or the place behind providerReplayThroughEntryId
	from     int        // place from which entries are kept; cut for none
	rollover bool
	request  int // position of the request that comes again, or -1
}

// Keeps returns the entry from which on a compaction keeps what is before it: that
// entry, or with after set the one behind it, where what the provider made stands for
// the rest (omp 18.3.0). It is "" for a compaction that keeps nothing.
func Keeps(compaction []byte) (id string, after bool) {
	if id, _ = jsonedit.Text(compaction, "firstKeptEntryId"); id == "" {
		id, _ = jsonedit.Text(compaction, "providerReplayThroughEntryId")
		after = id != ""
	}
	return id, after
}

// readCompaction reads the compaction at place c.cut.
func (c *Context) readCompaction() error {
	i := c.path[c.cut]
	line, err := c.load(i)
	if err != nil {
		return err
	}
	r := c.rules.Compaction
	s := &summary{at: i, from: c.cut, request: -1}
	c.summary = s
	firstID, named := c.text(i, line, "firstKeptEntryId")
	if s.first = c.place(firstID); s.first < 0 {
		s.first = c.behind(firstID)
	}
	s.tail = s.first
	if s.first >= 0 && s.first < c.cut {
		s.from = s.first
	}
	if r.SystemMessage {
		if m, ok := jsonedit.Get(line, "systemMessage"); ok && jsonedit.Kind(m) == '{' {
			s.system = m
		}
	}
	preserved, _ := jsonedit.Get(line, "preserveData")
	payload := c.remoteHistory(preserved)
	if payload != nil {
		s.from = c.replayFrom(line)
	}
	time, rewritten := c.list.Time(i), int64(entry.NoTime)
	if server := serverSummary(preserved); r.ServerSummary && server != nil {
		through := ""
		if r.ServerTail && named && firstID == "" {
			through, _ = jsonedit.Text(line, "providerReplayThroughEntryId")
		}
		if at := c.place(through); at >= 0 && at < c.cut-1 {
			s.tail = at + 1
		}
		switch earlier := c.before(s.tail); {
		case through != "":
			rewritten = earlier
		case earlier != entry.NoTime:
			time = earlier
		}
		if payload == nil {
			payload = server
			if s.tail >= 0 && s.tail < c.cut {
				s.from = s.tail
			}
		}
	}
	if r.Rollover != "" {
		kind, _ := jsonedit.Path(line, "details", "kind")
		text, _ := jsonedit.String(kind)
		s.rollover = text == r.Rollover
	}
	s.json = c.summaryMessage(line, payload, preserved, time, rewritten)
	return nil
}

// summaryMessage builds the message of a compaction, members in the order of
// the programs (pi 0.87.1, omp 18.2.3, xcsh 17.4.4). rewritten is its
// historyRewriteAt, [entry.NoTime] for none.
func (c *Context) summaryMessage(line, payload, preserved entry.JSON, time, rewritten int64) entry.JSON {
	r := c.rules.Compaction
	var o jsonedit.Object
	o.String("role", entry.RoleCompactionSummary.String())
	pass(&o, line, "summary")
	if r.ShortSummary {
		pass(&o, line, "shortSummary")
	}
	pass(&o, line, "tokensBefore")
	if r.Outcome {
		pass(&o, line, "tokensAfter")
		pass(&o, line, "method")
	}
	o.Add("providerPayload", payload)
	if r.Archive {
		blocks, images := archiveBlocks(preserved)
		o.Add("blocks", blocks)
		o.Add("images", images)
	}
	if r.Outcome {
		pass(&o, line, "warning")
	}
	if rewritten != entry.NoTime {
		o.Int("historyRewriteAt", rewritten)
	}
	addTime(&o, time)
	return o.Value()
}

// pass adds a member of obj as it is stored, nothing when it has none.
func pass(o *jsonedit.Object, obj entry.JSON, key string) {
	if v, ok := jsonedit.Get(obj, key); ok {
		o.Add(key, v)
	}
}

// addTime adds the timestamp of a message, null for one that cannot be read.
func addTime(o *jsonedit.Object, ms int64) {
	if ms == entry.NoTime {
		o.Null("timestamp")
		return
	}
	o.Int("timestamp", ms)
}

// remoteHistory returns the payload that stands for the kept entries, nil when
// the compaction holds none.
func (c *Context) remoteHistory(preserved entry.JSON) entry.JSON {
	if !c.rules.Compaction.RemoteHistory {
		return nil
	}
	remote, _ := jsonedit.Get(preserved, "openaiRemoteCompaction")
	provider, _ := jsonedit.Text(remote, "provider")
	items, _ := jsonedit.Get(remote, "replacementHistory")
	if provider == "" || jsonedit.Kind(items) != '[' {
		return nil
	}
	if c.rules.Compaction.RemoteObjects {
		for item := range jsonedit.Elements(items) {
			if jsonedit.Kind(item) != '{' {
				return nil
			}
		}
	}
	var o jsonedit.Object
	return o.String("type", "openaiResponsesHistory").String("provider", provider).Add("items", items).Value()
}

// replayFrom returns the place after what the remote history covers, c.cut when
// that is all before the compaction.
func (c *Context) replayFrom(line entry.JSON) int {
	if c.rules.Compaction.RemoteObjects {
		through, _ := jsonedit.Text(line, "providerReplayThroughEntryId")
		if at := c.place(through); at >= 0 && at < c.cut {
			return at + 1
		}
	}
	return c.cut
}

// serverSummary returns the payload of a summary that the provider made.
func serverSummary(preserved entry.JSON) entry.JSON {
	made, _ := jsonedit.Get(preserved, "anthropicCompaction")
	provider, _ := jsonedit.Text(made, "provider")
	content, _ := jsonedit.Text(made, "content")
	if provider == "" || content == "" {
		return nil
	}
	var o jsonedit.Object
	o.String("type", "anthropicCompaction").String("provider", provider)
	pass(&o, made, "content")
	for _, key := range []string{"encryptedContent", "filesText"} {
		if text, _ := jsonedit.Text(made, key); text != "" {
			pass(&o, made, key)
		}
	}
	return o.Value()
}

// before returns a time just before the first entry kept, the one at place first or
// what follows the compaction, so that the summary does not look newer than it (omp 18.2.3); [entry.NoTime] where there is none.
func (c *Context) before(first int) int64 {
	at := c.cut + 1
	if first >= 0 && first < c.cut {
		at = first
	}
	if at >= len(c.path) {
		return entry.NoTime
	}
	if t := c.list.Time(c.path[at]); t != entry.NoTime {
		return t - 1
	}
	return entry.NoTime
}
