package entry

// Role says who speaks in a message entry, as a small code for the index. The
// zero Role is no message at all.
type Role uint8

// The roles of dialects' messages. RoleOther is a role none of them knows.
const (
	RoleNone Role = iota
	RoleOther
	RoleUser
	RoleAssistant
	RoleToolResult
	RoleSystem
	RoleDeveloper
	RoleBash
	RolePython
	RoleCustom
	RoleHook
	RoleFileMention
	RoleBranchSummary
	RoleCompactionSummary

	roles
)

var roleNames = [roles]string{
	RoleUser:              "user",
	RoleAssistant:         "assistant",
	RoleToolResult:        "toolResult",
	RoleSystem:            "system",
	RoleDeveloper:         "developer",
	RoleBash:              "bashExecution",
	RolePython:            "pythonExecution",
	RoleCustom:            "custom",
	RoleHook:              "hookMessage",
	RoleFileMention:       "fileMention",
	RoleBranchSummary:     "branchSummary",
	RoleCompactionSummary: "compactionSummary",
}

// String returns the role as a session file spells it, "" for RoleNone and
// RoleOther.
func (r Role) String() string {
	if r < roles {
		return roleNames[r]
	}
	return ""
}

// RoleOf returns the code of the role that a session file spells name.
func RoleOf(name string) Role { return roleOf(name) }

func roleOf[T string | []byte](name T) Role {
	switch string(name) {
	case "user":
		return RoleUser
	case "assistant":
		return RoleAssistant
	case "toolResult":
		return RoleToolResult
	case "system":
		return RoleSystem
	case "developer":
		return RoleDeveloper
	case "bashExecution":
		return RoleBash
	case "pythonExecution":
		return RolePython
	case "custom":
		return RoleCustom
	case "hookMessage":
		return RoleHook
	case "fileMention":
		return RoleFileMention
	case "branchSummary":
		return RoleBranchSummary
	case "compactionSummary":
		return RoleCompactionSummary
	}
	return RoleOther
}
