package message

import (
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/go-json-experiment/json/jsontext"
)

// The roles as files spell them.
const (
	RoleUser              = "user"
	RoleAssistant         = "assistant"
	RoleToolResult        = "toolResult"
	RoleSystem            = "system"
	RoleDeveloper         = "developer"
	RoleBashExecution     = "bashExecution"
	RolePythonExecution   = "pythonExecution"
	RoleCustom            = "custom"
	RoleHook              = "hookMessage"
	RoleFileMention       = "fileMention"
	RoleBranchSummary     = "branchSummary"
	RoleCompactionSummary = "compactionSummary"
)

// ErrNotObject says that a message is not a JSON object. The entry it stands in
// is damaged; keep its bytes and go on without it.
var ErrNotObject = errors.New("not an object")

// Message is one message. The types are pointers to the concrete types of this
// package and no others.
//
// Each has a field Extra beside those that are listed, as blocks and usage have: the
// members that no field stands for, in their order, unknown ones and known ones of the
// wrong type. A field wins over an extra member of the same name. Its method Raw returns
// the text that it was decoded from, nil for one that was made in the program.
type Message interface {
	former
	role() string
	when() int64
}

// Role returns the role of m as the file spells it.
func Role(m Message) string { return m.role() }

// Time returns the timestamp of m, milliseconds since 1970, or 0.
func Time(m Message) int64 { return m.when() }

// decoded is what every decoded thing remembers of its text.
type decoded struct {
	// Extra has the members that no field stands for, in their order: unknown
	// ones, and known ones of the wrong type. A field wins over an extra member
	// of the same name.
	Extra []Member

	raw JSON
}

// Raw returns the text that the value was decoded from, nil for one that was
// made in the program. It must not be changed.
func (d *decoded) Raw() JSON { return d.raw }

func (d *decoded) origin() *decoded { return d }

// Decode reads a message. It keeps raw, which must not be changed afterwards. A
// role that no program has, or that is not a string, gives an *Unknown. The
// error is ErrNotObject, wrapped; the message is then an *Unknown that encodes
// as raw.
func Decode(raw JSON) (Message, error) {
	if jsonedit.Kind(raw) != jsontext.KindBeginObject {
		return &Unknown{decoded: decoded{raw: raw}}, fmt.Errorf("decode message: %w", ErrNotObject)
	}
	role, _ := jsonedit.Text(raw, "role")
	m := blank(role)
	fill(m, raw)
	return m, nil
}

// Encode returns the text of m: the text it was decoded from where nothing was
// changed, and without blanks what was.
func Encode(m Message) JSON { return encode(m) }

// blank returns an empty message of the role.
func blank(role string) Message {
	switch role {
	case RoleUser:
		return &User{}
	case RoleAssistant:
		return &Assistant{}
	case RoleToolResult:
		return &ToolResult{}
	case RoleSystem:
		return &System{}
	case RoleDeveloper:
		return &Developer{}
	case RoleBashExecution:
		return &BashExecution{}
	case RolePythonExecution:
		return &PythonExecution{}
	case RoleCustom:
		return &Custom{}
	case RoleHook:
		return &Hook{}
	case RoleFileMention:
		return &FileMention{}
	case RoleBranchSummary:
		return &BranchSummary{}
	case RoleCompactionSummary:
		return &CompactionSummary{}
	}
	return &Unknown{}
}
