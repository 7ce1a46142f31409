package message

func (*User) role() string              { return RoleUser }
func (*Assistant) role() string         { return RoleAssistant }
func (*ToolResult) role() string        { return RoleToolResult }
func (*System) role() string            { return RoleSystem }
func (*Developer) role() string         { return RoleDeveloper }
func (*BashExecution) role() string     { return RoleBashExecution }
func (*PythonExecution) role() string   { return RolePythonExecution }
func (*Custom) role() string            { return RoleCustom }
func (*Hook) role() string              { return RoleHook }
func (*FileMention) role() string       { return RoleFileMention }
func (*BranchSummary) role() string     { return RoleBranchSummary }
func (*CompactionSummary) role() string { return RoleCompactionSummary }
func (m *Unknown) role() string         { return m.Name }

func (m *User) when() int64              { return m.Timestamp }
func (m *Assistant) when() int64         { return m.Timestamp }
func (m *ToolResult) when() int64        { return m.Timestamp }
func (m *System) when() int64            { return m.Timestamp }
func (m *Developer) when() int64         { return m.Timestamp }
func (m *BashExecution) when() int64     { return m.Timestamp }
func (m *PythonExecution) when() int64   { return m.Timestamp }
func (m *Custom) when() int64            { return m.Timestamp }
func (m *Hook) when() int64              { return m.Timestamp }
func (m *FileMention) when() int64       { return m.Timestamp }
func (m *BranchSummary) when() int64     { return m.Timestamp }
func (m *CompactionSummary) when() int64 { return m.Timestamp }
func (m *Unknown) when() int64           { return m.Timestamp }

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
