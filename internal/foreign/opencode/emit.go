package opencode

import (
	"maps"
	"regexp"
	"slices"

	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/foreign/database"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/mosaic"
)

// An emitter writes the entries of a session.
type emitter struct {
	foreign.Thread
	s     *stored
	start int64 // of the session
	first map[string]string

	messages []*message
	known    map[string]*message
	provider string // that of the last model_change
	model    string
	variant  string
	spent    int64    // the tokens of the last answer
	asked    *message // the last request for a summary that is answered
}

// A message is one that was looked into.
type message struct {
	row
	info  []byte // its data, nil where that is damaged
	role  string
	parts []*piece
	// summed: a summary follows, so that what is before it is not sent any more.
	summed bool
	// sums is the compaction that a summary answers, nil for an answer that is none.
	sums *message
	// next is the first entry that was made of what came behind a compaction.
	next string
}

// A piece is one part of a message.
type piece struct {
	row
	info []byte // its data, nil where that is damaged
	kind string
}

// lines returns the lines of a session.
func lines(s *stored) *mosaic.Mosaic {
	s.sort()
	e := &emitter{s: s, first: map[string]string{}, known: map[string]*message{}}
	e.start = s.fields["time_created"].Time()
	e.sort()
	e.header()
	for _, wrong := range s.wrong {
		e.Custom("opencode.damaged", "damaged", e.start, jsonedit.Quoted(wrong))
	}
	e.all()
	return e.W.Lines.Mosaic(nil)
}

// sort looks into the rows and gives each part to its message.
func (e *emitter) sort() {
	for _, r := range e.s.messages {
		m := &message{row: r}
		if m.info = object(r); m.info != nil {
			m.role, _ = jsonedit.Text(m.info, "role")
		}
		if e.start == 0 {
			e.start = m.when()
		}
		e.messages = append(e.messages, m)
		if e.known[r.id] == nil {
			e.known[r.id] = m
		}
	}
	var lost *message
	for _, r := range e.s.parts {
		p := &piece{row: r}
		if p.info = object(r); p.info != nil {
			p.kind, _ = jsonedit.Text(p.info, "type")
		}
		m := e.known[r.message]
		if m == nil {
			if lost == nil {
				lost = &message{}
			}
			m = lost
		}
		m.parts = append(m.parts, p)
	}
	for n, m := range e.messages {
		if m.role != "assistant" {
			continue
		}
		parent, _ := jsonedit.Text(m.info, "parentID")
		asked := e.known[parent]
		if flag(m.info, "summary") && has(m.info, "finish") && !has(m.info, "error") && asked != nil && asked.of("compaction") != nil && slices.Contains(e.messages[:n], asked) {
			m.sums, asked.summed = asked, true
		}
	}
	if lost != nil {
		e.messages = append(e.messages, lost)
	}
}

// of returns the first part of a kind, nil for none.
func (m *message) of(kind string) *piece {
	for _, p := range m.parts {
		if p.kind == kind {
			return p
		}
	}
	return nil
}

// object returns the data of a row, nil for what is no object.
func object(r row) []byte {
	if r.blob {
		return nil
	}
	if v, ok := database.Whole(r.data); ok && jsonedit.Kind(v) == '{' {
		return v
	}
	return nil
}

// has reports whether a member is there and not null.
func has(obj []byte, key string) bool {
	v, ok := jsonedit.Get(obj, key)
	return ok && !jsonedit.IsNull(v)
}

// flag reports whether a member is true.
func flag(obj []byte, key string) bool {
	v, _ := jsonedit.Get(obj, key)
	is, _ := jsonedit.Bool(v)
	return is
}

// number returns a number inside an object, 0 for none.
func number(obj []byte, keys ...string) float64 {
	v, _ := jsonedit.Path(obj, keys...)
	n, _ := jsonedit.Number(v)
	return n
}

// when returns the time of a message in milliseconds, 0 for none.
func (m *message) when() int64 {
	if t := number(m.info, "time", "created"); t > 0 && t <= database.MaxTime {
		return int64(t)
	}
	return max(0, min(m.created, database.MaxTime))
}

// header writes the first line.
func (e *emitter) header() {
	e.W.Open('{')
	e.W.Text("type", "session")
	e.W.Raw("version", []byte("3"))
	e.W.Text("id", e.s.id)
	e.W.Text("timestamp", jsonedit.FormatTime(e.start))
	e.W.Text("cwd", e.s.fields["directory"].Text())
	if parent := e.s.fields["parent_id"].Text(); parent != "" {
		e.W.Text("parentSession", parent)
	}
	own := map[string]bool{"id": true, "directory": true, "title": true, "parent_id": true, "time_created": true, "revert": true}
	e.W.Key("opencode")
	e.W.Open('{')
	for _, name := range slices.Sorted(maps.Keys(e.s.fields)) {
		if v := e.s.fields[name].Value(); v != nil && !own[name] {
			e.W.Raw(name, v)
		}
	}
	e.W.Close('}')
	e.W.Close('}')
	e.W.End()
}

// all writes the entries.
func (e *emitter) all() {
	revert := e.s.fields["revert"].Value()
	from, _ := jsonedit.Text(revert, "messageID")
	end := slices.IndexFunc(e.messages, func(m *message) bool { return from != "" && m.id == from })
	if end < 0 {
		end = len(e.messages)
	}
	for _, m := range e.messages[:end] {
		e.message(m)
	}
	leaf, hidden := e.Tail, e.messages[end:]
	if part, _ := jsonedit.Text(revert, "partID"); part != "" && len(hidden) > 0 {
		// The parts before that one stay.
		stays, goes := *hidden[0], *hidden[0]
		if n := slices.IndexFunc(stays.parts, func(p *piece) bool { return p.id == part }); n >= 0 {
			stays.parts, goes.parts = stays.parts[:n], goes.parts[n:]
		} else {
			goes.parts = nil
		}
		e.message(&stays)
		leaf, hidden = e.Tail, hidden[1:]
		if len(goes.parts) > 0 {
			e.message(&goes)
		}
	}
	for _, m := range hidden {
		e.message(m)
	}
	at := max(e.s.fields["time_updated"].Time(), e.start)
	if len(revert) > 0 && string(revert) != `""` {
		e.Tail = leaf
		e.Custom("opencode.revert", "revert", at, revert)
	}
	if len(e.s.todos) > 0 {
		var list jsonedit.Array
		for _, fields := range e.s.todos {
			var o jsonedit.Object
			for _, f := range fields {
				o.Add(f.Name, f.Value())
			}
			list.Add(o.Value())
		}
		e.Custom("opencode.todo", "todo", at, list.Value())
	}
	if title := e.s.fields["title"].Text(); title != "" && !unnamed.MatchString(title) {
		e.Name(at, title)
	}
}

// unnamed is what OpenCode calls a session that has no name yet.
var unnamed = regexp.MustCompile(`^(New|Child) session - \d{4}-\d\d-\d\dT[\d:.]+Z$`)

// message writes what a message became.
func (e *emitter) message(m *message) {
	was := e.Tail
	if m.summed {
		e.asked = m
	}
	switch {
	case m.row.id == "" && m.info == nil && len(m.data) == 0:
		e.rest(m, m.parts) // those without a message
	case m.role == "user":
		e.user(m)
	case m.role == "assistant":
		e.answer(m)
	default:
		e.asIs(m.row, m.info, "message", m.when())
		e.rest(m, m.parts)
	}
	if e.Tail != was && e.asked != nil && e.asked.next == "" {
		e.asked.next = e.first[m.id]
	}
}

// began notes an entry that was made of a message, if it is the first.
func (e *emitter) began(m *message, id string) {
	if e.first[m.id] == "" {
		e.first[m.id] = id
	}
}

// asIs writes an entry of a row that has no equal, or that is damaged.
func (e *emitter) asIs(r row, info []byte, kind string, at int64) string {
	if info == nil {
		return e.Custom("opencode.damaged", r.id, at, jsonedit.Quoted(string(r.data)))
	}
	return e.Custom("opencode."+kind, r.id, at, info)
}

// rest writes entries of the parts of a message that have no equal.
func (e *emitter) rest(m *message, parts []*piece) {
	at := m.when()
	if at == 0 {
		at = e.start
	}
	for _, p := range parts {
		kind := p.kind
		if kind == "" {
			kind = "part"
		}
		e.began(m, e.asIs(p.row, p.info, kind, at))
	}
}

// extra writes what of a message and its parts has no place in the entry, with the ids.
func (e *emitter) extra(m *message, own []string, parts []*piece) {
	e.W.Key("opencode")
	e.W.Open('{')
	e.W.Text("id", m.id)
	if own != nil {
		e.left("message", m.info, "", own...)
	}
	if len(parts) > 0 {
		e.W.Key("parts")
		e.W.Open('[')
		for _, p := range parts {
			e.left("", p.info, p.id, saidBy[p.kind]...)
		}
		e.W.Close(']')
	}
	e.W.Close('}')
}

// saidBy are the members of parts that are in an entry already. All others are kept, of parts
// that are no text all.
var saidBy = map[string][]string{
	"text": {"type", "text"}, "reasoning": {"type", "text"}, "file": {"type", "url"}, "tool": {"type", "tool", "callID", "state"},
}

// left writes an object without some members, and with an id if there is one.
func (e *emitter) left(key string, obj []byte, id string, without ...string) {
	if key != "" {
		e.W.Key(key)
	}
	e.W.Open('{')
	if id != "" {
		e.W.Text("id", id)
	}
	seen := map[string]bool{"id": id != ""}
	for _, name := range without {
		seen[name] = true
	}
	for name, value := range jsonedit.Members(obj) {
		if !seen[name] {
			seen[name] = true
			e.W.Raw(name, value)
		}
	}
	e.W.Close('}')
}

// settings writes that another model is asked, or asked to think harder, than before.
func (e *emitter) settings(m *message, provider, model, variant string) {
	if model != "" && (provider != e.provider || model != e.model) {
		e.provider, e.model = provider, model
		e.Model(m.id+":model", m.when(), provider, model)
	}
	if variant == "" || variant == e.variant {
		return
	}
	e.variant = variant
	level, ok := levels[variant]
	if !ok {
		return
	}
	id := e.Begin("thinking_level_change", m.id+":variant", m.when())
	e.W.Text("thinkingLevel", level)
	e.Done(id)
}

// levels are the variants of models that say how hard they think.
var levels = map[string]string{
	"none": "off", "minimal": "minimal", "low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh", "max": "xhigh",
}
