package message

// Role returns RoleUser.
func (*User) Role() string { return RoleUser }

// Role returns RoleAssistant.
func (*Assistant) Role() string { return RoleAssistant }

// Role returns RoleToolResult.
func (*ToolResult) Role() string { return RoleToolResult }

// Role returns RoleSystem.
func (*System) Role() string { return RoleSystem }

// Role returns RoleDeveloper.
func (*Developer) Role() string { return RoleDeveloper }

// Role returns RoleBashExecution.
func (*BashExecution) Role() string { return RoleBashExecution }

// Role returns RolePythonExecution.
func (*PythonExecution) Role() string { return RolePythonExecution }

// Role returns RoleCustom.
func (*Custom) Role() string { return RoleCustom }

// Role returns RoleHook.
func (*Hook) Role() string { return RoleHook }

// Role returns RoleFileMention.
func (*FileMention) Role() string { return RoleFileMention }

// Role returns RoleBranchSummary.
func (*BranchSummary) Role() string { return RoleBranchSummary }

// Role returns RoleCompactionSummary.
func (*CompactionSummary) Role() string { return RoleCompactionSummary }

// Role returns m.Name.
func (m *Unknown) Role() string { return m.Name }

// Time returns m.Timestamp.
func (m *User) Time() int64 { return m.Timestamp }

// Time returns m.Timestamp.
func (m *Assistant) Time() int64 { return m.Timestamp }

// Time returns m.Timestamp.
func (m *ToolResult) Time() int64 { return m.Timestamp }

// Time returns m.Timestamp.
func (m *System) Time() int64 { return m.Timestamp }

// Time returns m.Timestamp.
func (m *Developer) Time() int64 { return m.Timestamp }

// Time returns m.Timestamp.
func (m *BashExecution) Time() int64 { return m.Timestamp }

// Time returns m.Timestamp.
func (m *PythonExecution) Time() int64 { return m.Timestamp }

// Time returns m.Timestamp.
func (m *Custom) Time() int64 { return m.Timestamp }

// Time returns m.Timestamp.
func (m *Hook) Time() int64 { return m.Timestamp }

// Time returns m.Timestamp.
func (m *FileMention) Time() int64 { return m.Timestamp }

// Time returns m.Timestamp.
func (m *BranchSummary) Time() int64 { return m.Timestamp }

// Time returns m.Timestamp.
func (m *CompactionSummary) Time() int64 { return m.Timestamp }

// Time returns m.Timestamp.
func (m *Unknown) Time() int64 { return m.Timestamp }

func (*User) empty() former              { return &User{} }
func (*Assistant) empty() former         { return &Assistant{} }
func (*ToolResult) empty() former        { return &ToolResult{} }
func (*System) empty() former            { return &System{} }
func (*Developer) empty() former         { return &Developer{} }
func (*BashExecution) empty() former     { return &BashExecution{} }
func (*PythonExecution) empty() former   { return &PythonExecution{} }
func (*Custom) empty() former            { return &Custom{} }
func (*Hook) empty() former              { return &Hook{} }
func (*FileMention) empty() former       { return &FileMention{} }
func (*BranchSummary) empty() former     { return &BranchSummary{} }
func (*CompactionSummary) empty() former { return &CompactionSummary{} }
func (*File) empty() former              { return &File{} }
func (*Unknown) empty() former           { return &Unknown{} }
