package entry

import (
	"fmt"
	"slices"

	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// ParseBody reads the body of an entry that is to be appended: a JSON object with
// a type and the members of that type, no more than blanks around it. Its members
// are kept byte for byte in their order, without blanks between them; id,
// parentId and timestamp are left out. Types that no dialect knows are accepted;
// of the others every member must be there that a program reads them by.
//
// The error wraps a [jsonl.SyntaxError] for what is not JSON and otherwise
// [ErrNotBody].
func ParseBody(raw []byte) (Body, error) {
	var e Envelope
	if err := e.Scan(raw); err != nil {
		return nil, fmt.Errorf("parse entry body: %w", refused(err))
	}
	if e.Type == nil {
		return nil, fmt.Errorf("parse entry body: %w: no string as type", ErrNotBody)
	}
	if err := Usable(raw); err != nil {
		return nil, fmt.Errorf("parse entry body: %w", err)
	}
	return &Verbatim{Name: string(e.Type), Members: slices.Clone(jsonedit.Compact(interior(raw)))}, nil
}

// Body decodes what the entry says: the type of its kind, or [Verbatim] for an
// unknown kind and for records of the file that are no entries. Members that are
// not fields of the type, or have the wrong type, are in Extra. The body keeps
// the entry's bytes, which must not be changed. The error is for an Entry that
// was not made by [Parse].
func (e Entry) Body() (Body, error) {
	if e.raw == nil {
		return nil, fmt.Errorf("decode entry: %w: no line", ErrNotBody)
	}
	b := newBody(e.Kind)
	if b == nil {
		return &Verbatim{Name: e.Type, Members: interior(e.raw), rest: rest{raw: e.raw}}, nil
	}
	decode(b, e.raw)
	return b, nil
}

// newBody returns an empty body of the kind, nil where there is no type for it.
func newBody(k Kind) Body {
	switch k {
	case Message:
		return &MessageBody{}
	case ThinkingLevelChange:
		return &ThinkingLevelChangeBody{}
	case ModelChange:
		return &ModelChangeBody{}
	case ServiceTierChange:
		return &ServiceTierChangeBody{}
	case Compaction:
		return &CompactionBody{}
	case BranchSummary:
		return &BranchSummaryBody{}
	case Custom:
		return &CustomBody{}
	case CustomMessage:
		return &CustomMessageBody{}
	case Label:
		return &LabelBody{}
	case SessionInfo:
		return &SessionInfoBody{}
	case Usage:
		return &UsageBody{}
	case ContextEdit:
		return &ContextEditBody{}
	case TTSRInjection:
		return &TTSRInjectionBody{}
	case SessionInit:
		return &SessionInitBody{}
	case ModeChange:
		return &ModeChangeBody{}
	case MCPToolSelection:
		return &MCPToolSelectionBody{}
	case TitleChange:
		return &TitleChangeBody{}
	case ModelUsage:
		return &ModelUsageBody{}
	case CredentialPin:
		return &CredentialPinBody{}
	case ResetBoundary:
		return &ResetBoundaryBody{}
	}
	return nil
}

// decode fills an empty body from a line. Of several members of one name the
// last counts, and stands where the first did.
func decode(b Body, raw JSON) {
	fields := b.bind()
	s := b.stored()
	s.raw = raw
	for _, f := range fields {
		if v, ok := jsonedit.Get(raw, f.key); ok && !f.read(v) {
			s.Extra = append(s.Extra, Member{f.key, v})
		}
	}
	for key, value := range jsonedit.Members(raw) {
		if isEnvelope(key) || slices.ContainsFunc(fields, func(f field) bool { return f.key == key }) {
			continue
		}
		s.Extra = put(s.Extra, key, value)
	}
}

// put sets a member in place, or adds it.
func put(all []Member, key string, value JSON) []Member {
	for i := range all {
		if all[i].Key == key {
			all[i].Value = value
			return all
		}
	}
	return append(all, Member{key, value})
}

// members lists what is written of a body beside the envelope, in order.
func members(b Body) []Member {
	var all []Member
	if v, ok := b.(*Verbatim); ok {
		for key, value := range jsonedit.Members(v.Members) {
			if !isEnvelope(key) {
				all = put(all, key, value)
			}
		}
	}
	for _, f := range b.bind() {
		if v := f.value(); v != nil {
			all = append(all, Member{f.key, v})
		}
	}
	for _, m := range b.stored().Extra {
		known := slices.ContainsFunc(all, func(n Member) bool { return n.Key == m.Key })
		if !known && m.Value != nil && !isEnvelope(m.Key) {
			all = append(all, m)
		}
	}
	return all
}

func isEnvelope(key string) bool {
	return key == "type" || key == "id" || key == "parentId" || key == "timestamp"
}

// interior returns the object without the envelope's members.
func interior(raw JSON) JSON {
	return jsonedit.Delete(raw, "type", "id", "parentId", "timestamp")
}
