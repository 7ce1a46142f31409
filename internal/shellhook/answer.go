package shellhook

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// answer reads what a command answered to an event: nothing, or one object. odd
// are the names of members that nothing is known of. now is in milliseconds since
// 1970.
func answer(out []byte, e agent.Event, now int64) (r agent.Reply, odd []string, err error) {
	if len(bytes.TrimSpace(out)) == 0 {
		return r, nil, nil
	}
	obj, err := object(out)
	if err != nil {
		return r, nil, fmt.Errorf("read its answer: %w", err)
	}
	f := &fields{now: now, event: e}
	for name, v := range jsonedit.Members(obj) {
		if jsonedit.IsNull(v) {
			continue
		}
		switch name {
		case "cancel":
			f.flag(name, v, &r.Cancel)
		case "skipConversationRestore":
			f.flag(name, v, &r.SkipConversationRestore)
		case "summary":
			r.Summary = f.summary(name, v)
		case "context":
			f.texts(name, v, &r.Context)
		case "prompt":
			f.text(name, v, &r.Prompt)
		case "compaction":
			r.Compaction = f.compaction(name, v)
		case "preserveData":
			f.object(name, v, &r.PreserveData)
		default:
			f.odd = append(f.odd, fmt.Sprintf("%.40q", name))
		}
	}
	if f.err != nil {
		return agent.Reply{}, nil, fmt.Errorf("read its answer: %w", f.err)
	}
	return r, f.odd, nil
}

// object returns the one object that text is.
func object(text []byte) (entry.JSON, error) {
	// It may pass on what sessions hold, who are not always strict.
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	v, err := dec.ReadValue()
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	v = v.Clone()
	if jsonedit.Kind(v) != jsontext.KindBeginObject {
		return nil, errors.New("not an object")
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, errors.New("more than one object")
	}
	return entry.JSON(v), nil
}

// fields take members as what they should be. The first error counts.
type fields struct {
	event agent.Event
	now   int64
	odd   []string
	err   error
}

func (f *fields) want(name, expected string) {
	if f.err == nil {
		f.err = fmt.Errorf("%s is not %s", name, expected)
	}
}

func (f *fields) flag(name string, v entry.JSON, to *bool) {
	b, ok := jsonedit.Bool(v)
	if !ok {
		f.want(name, "true or false")
	}
	*to = b
}

func (f *fields) text(name string, v entry.JSON, to *string) {
	s, ok := jsonedit.String(v)
	if !ok {
		f.want(name, "a string")
	}
	*to = s
}

func (f *fields) texts(name string, v entry.JSON, to *[]string) {
	if jsonedit.Kind(v) != jsontext.KindBeginArray {
		f.want(name, "a list of strings")
		return
	}
	for e := range jsonedit.Elements(v) {
		var s string
		f.text("what is in "+name, e, &s)
		*to = append(*to, s)
	}
}

func (f *fields) object(name string, v entry.JSON, to *entry.JSON) {
	if jsonedit.Kind(v) != jsontext.KindBeginObject {
		f.want(name, "an object")
		return
	}
	*to = v
}

// summary takes a text, or as published an object with a text and details.
func (f *fields) summary(name string, v entry.JSON) *compact.Result {
	yes := true
	r := &compact.Result{FromExtension: &yes, Time: f.now}
	if jsonedit.Kind(v) == jsontext.KindBeginObject {
		f.result(name, v, r, nil)
	} else {
		f.text(name, v, &r.Summary)
	}
	if r.Summary == "" {
		f.want(name, "a text")
	}
	return r
}

// compaction takes the published object and returns the entry, in the dialect's
// spelling. What it does not say is as prepared.
func (f *fields) compaction(name string, v entry.JSON) *entry.CompactionBody {
	e, ok := f.event.(agent.SessionBeforeCompact)
	if !ok || e.Preparation == nil {
		return nil // nobody asked
	}
	if jsonedit.Kind(v) != jsontext.KindBeginObject {
		f.want(name, "an object")
		return nil
	}
	yes := true
	r := compact.Result{FromExtension: &yes, Time: f.now}
	before := int64(e.Preparation.(*compaction.Preparation).TokensBefore)
	f.result(name, v, &r, &before)
	if r.Summary == "" {
		f.want(name+".summary", "a text")
	}
	on := func(x entry.Entry) bool { return x.ID == r.FirstKeptEntryID }
	if r.FirstKeptEntryID != "" && !slices.ContainsFunc(e.BranchEntries, on) {
		f.want(name+".firstKeptEntryId", "an entry of the branch")
	}
	if f.err != nil {
		return nil
	}
	b := e.Preparation.Body(r)
	b.TokensBefore = before
	return b
}

// result takes the members of a summary; before is nil where tokens are not
// asked for.
func (f *fields) result(in string, v entry.JSON, r *compact.Result, before *int64) {
	for name, v := range jsonedit.Members(v) {
		full := in + "." + name
		if jsonedit.IsNull(v) {
			continue
		}
		switch {
		case name == "summary":
			f.text(full, v, &r.Summary)
		case name == "shortSummary":
			f.text(full, v, &r.ShortSummary)
		case name == "details":
			r.Details = v
		case name == "firstKeptEntryId" && before != nil:
			f.text(full, v, &r.FirstKeptEntryID)
		case name == "preserveData":
			f.object(full, v, &r.PreserveData)
		case name == "usage":
			f.object(full, v, &r.Usage)
		case name == "tokensBefore" && before != nil:
			n, ok := jsonedit.Int(v)
			if !ok || n < 0 {
				f.want(full, "a number of tokens")
			}
			*before = n
		default:
			f.odd = append(f.odd, fmt.Sprintf("%.40q", full))
		}
	}
}
