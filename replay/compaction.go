package replay

import (
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/splice"
	"github.com/go-json-experiment/json/jsontext"
)

// summary is the compaction in effect, read.
type summary struct {
	at       int            // its position
	system   jsontext.Value // message that comes first, or nil
	json     jsontext.Value // the summary as a message
	first    int            // place on the path of firstKeptEntryId, or -1
	from     int            // place from which entries are kept; cut for none
	rollover bool
	request  int // position of the request that comes again, or -1
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
	firstID, _ := c.text(i, line, "firstKeptEntryId")
	s.first = c.place(firstID)
	if s.first >= 0 && s.first < c.cut {
		s.from = s.first
	}
	if r.SystemMessage {
		if m, ok := splice.Get(line, "systemMessage"); ok && splice.Kind(m) == '{' {
			s.system = m
		}
	}
	preserved, _ := splice.Get(line, "preserveData")
	payload := c.remoteHistory(preserved)
	if payload != nil {
		s.from = c.replayFrom(line)
	}
	time := c.list.Time(i)
	if r.ServerSummary {
		server := serverSummary(preserved)
		if server != nil {
			time = c.before(s, time)
		}
		if payload == nil {
			payload = server
		}
	}
	if r.Rollover != "" {
		kind, _ := splice.Path(line, "details", "kind")
		text, _ := splice.String(kind)
		s.rollover = text == r.Rollover
	}
	s.json = c.summaryMessage(line, payload, preserved, time)
	return nil
}

// summaryMessage builds the message of a compaction, members in the order of
// the programs (pi 0.87.1, omp 18.2.3, xcsh 17.4.4).
func (c *Context) summaryMessage(line, payload, preserved jsontext.Value, time int64) jsontext.Value {
	r := c.rules.Compaction
	var o splice.Object
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
	addTime(&o, time)
	return o.Value()
}

// pass adds a member of obj as it is stored, nothing when it has none.
func pass(o *splice.Object, obj jsontext.Value, key string) {
	if v, ok := splice.Get(obj, key); ok {
		o.Add(key, v)
	}
}

// addTime adds the timestamp of a message, null for one that cannot be read.
func addTime(o *splice.Object, ms int64) {
	if ms == entry.NoTime {
		o.Null("timestamp")
		return
	}
	o.Int("timestamp", ms)
}

// remoteHistory returns the payload that stands for the kept entries, nil when
// the compaction holds none.
func (c *Context) remoteHistory(preserved jsontext.Value) jsontext.Value {
	if !c.rules.Compaction.RemoteHistory {
		return nil
	}
	remote, _ := splice.Get(preserved, "openaiRemoteCompaction")
	provider, _ := splice.Text(remote, "provider")
	items, _ := splice.Get(remote, "replacementHistory")
	if provider == "" || splice.Kind(items) != '[' {
		return nil
	}
	if c.rules.Compaction.RemoteObjects {
		for item := range splice.Elements(items) {
			if splice.Kind(item) != '{' {
				return nil
			}
		}
	}
	var o splice.Object
	return o.String("type", "openaiResponsesHistory").String("provider", provider).Add("items", items).Value()
}

// replayFrom returns the place after what the remote history covers, c.cut when
// that is all before the compaction.
func (c *Context) replayFrom(line jsontext.Value) int {
	if c.rules.Compaction.RemoteObjects {
		through, _ := splice.Text(line, "providerReplayThroughEntryId")
		if at := c.place(through); at >= 0 && at < c.cut {
			return at + 1
		}
	}
	return c.cut
}

// serverSummary returns the payload of a summary that the provider made.
func serverSummary(preserved jsontext.Value) jsontext.Value {
	made, _ := splice.Get(preserved, "anthropicCompaction")
	provider, _ := splice.Text(made, "provider")
	content, _ := splice.Text(made, "content")
	if provider == "" || content == "" {
		return nil
	}
	var o splice.Object
	o.String("type", "anthropicCompaction").String("provider", provider)
	pass(&o, made, "content")
	for _, key := range []string{"encryptedContent", "filesText"} {
		if text, _ := splice.Text(made, key); text != "" {
			pass(&o, made, key)
		}
	}
	return o.Value()
}

// before returns a time just before the first entry kept, so that the summary
// does not look newer than it (omp 18.2.3); time where there is none.
func (c *Context) before(s *summary, time int64) int64 {
	at := c.cut + 1
	if s.first >= 0 && s.first < c.cut {
		at = s.first
	}
	if at >= len(c.path) {
		return time
	}
	if t := c.list.Time(c.path[at]); t != entry.NoTime {
		return t - 1
	}
	return time
}
