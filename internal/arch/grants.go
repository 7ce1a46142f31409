package arch

// Grants returns the source files that may reach files by name, in order. Each
// row is a place where a link that somebody else made is to be thought of.
func Grants() []Grant {
	return []Grant{
		{"internal/breadcrumb/write.go", "notes of a person's own, below the state directory"},
		{"internal/chat/files.go", "files that a person names to the chat"},
		{"internal/coder/tool/execute.go", "the directory that commands start in"},
		{"internal/coder/tool/path.go", "what a model names, below the project's root"},
		{"internal/coder/tool/walk.go", "what a model names, below the project's root"},
		{"internal/editor/editor.go", "a file for the person's editor, in a directory of its own"},
		{"internal/handover/become_unix.go", "the directory in which a program is started"},
		{"internal/ignore/ignore.go", "a project's .gitignore, below its root"},
		{"internal/index/file.go", "the index, in the cache directory"},
		{"internal/index/tidy.go", "the index, in the cache directory"},
		{"internal/offline/copy.go", "copies of a store, in the state directory"},
		{"internal/offline/send.go", "what waits to be sent, in the state directory"},
		{"internal/offline/waiting.go", "what waits to be sent, in the state directory"},
		{"internal/process/shell_unix.go", "the shells of the machine"},
		{"internal/process/shell_windows.go", "the shells of the machine"},
		{"internal/project/project.go", "where a directory really is that an agent works in"},
		{"internal/secret/veil_linux.go", "what /proc says of this process"},
		{"internal/serve/token.go", "the tokens, in the state directory"},
		{"internal/state/presence_proc.go", "what /proc says of processes"},
		{"internal/vfs/at_unix.go", "the file system of the machine, no link followed"},
		{"internal/vfs/holder_linux.go", "what /proc says of processes and their locks"},
		{"internal/vfs/os_linux.go", "the file system of the machine, and what /proc says of it"},
		{"internal/vfs/os_unix.go", "the file system of the machine"},
		{"internal/vfs/os_windows.go", "the file system of the machine"},
		{"internal/vfs/rename_unix.go", "the file system of the machine"},
		{"internal/work/sync.go", "a directory that a person typed"},
		{"internal/work/there.go", "a path that a person typed"},
		{"layout/here.go", "what paths of this process lead to, and whether they are there"},
		{"prompts/reader.go", "a directory of its own to copy a database into"},
		{"release/npm/main.go", "what a release is packed from, where its builder says"},
		{"release/pages/main.go", "what a release is packed from, where its builder says"},
		{"release/pages/man.go", "what a release is packed from, where its builder says"},
		{"storage/jetstream/door.go", "certificates that a person names"},
	}
}
