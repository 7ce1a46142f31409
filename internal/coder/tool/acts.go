package tool

import (
	"path"
	"path/filepath"
	"strings"
)

// acts says who obeys the file at a place although nobody runs it; "" when nobody
// is known to. Letters count as small: some file systems do not tell them apart.
// What runs only when a person builds or starts a project is not meant.
func (p *place) acts() string {
	for part := range strings.SplitSeq(strings.ToLower(p.name), separator) {
		if why := acting(part); why != "" {
			return why
		}
	}
	if strings.Contains(strings.ToLower(p.real), separator+".git"+separator) { // the session's directory is in it
		return acting(".git")
	}
	if p.inRepository() {
		return acting(".git")
	}
	return ""
}

// inRepository reports whether a place is in a directory of git's own, whatever that is
// called: git obeys what has these names in it.
func (p *place) inRepository() bool {
	for dir := path.Dir(filepath.ToSlash(p.rel)); ; dir = path.Dir(dir) {
		all := true
		for _, name := range []string{"HEAD", "objects", "refs"} {
			_, err := p.root.Lstat(path.Join(dir, name))
			all = all && err == nil
		}
		if all || dir == "." || dir == "/" {
			return all
		}
	}
}

// acting says who obeys files of a name, or in directories of it.
func acting(name string) string {
	if strings.HasSuffix(name, ".code-workspace") {
		return "editors run what it names"
	}
	switch name {
	case ".git", ".gitconfig", ".gitmodules", ".githooks", ".husky", ".pre-commit-config.yaml", "lefthook.yml":
		return "git runs what its settings and hooks name"
	case ".hg", ".hgrc", ".svn", ".jj", ".bzr":
		return "what keeps versions runs what its settings and hooks name"
	case ".envrc", ".mise.toml", "mise.toml":
		return "it sets up every shell that enters the directory"
	case ".vscode", ".idea", ".zed", ".nvim.lua", ".exrc", ".vimrc", ".devcontainer", ".dir-locals.el", ".gdbinit", ".lldbinit":
		return "editors run what it names"
	case ".github", ".gitlab-ci.yml", ".circleci", ".woodpecker", ".forgejo", ".gitea":
		return "servers run what it names once it is pushed"
	case "agents.md", "claude.md", "gemini.md", ".mcp.json", ".gemini", ".claude", ".codex", ".cursor", ".cursorrules", ".cambium", ".pi", ".omp", ".xcsh":
		return "agents obey it in every later session"
	case ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin",
		".inputrc", ".tmux.conf", ".xinitrc", ".xprofile":
		return "shells run it when they start"
	case ".ssh", ".gnupg", ".config", ".local", ".npmrc", ".yarnrc", ".yarnrc.yml", ".cargo", ".netrc", ".docker", ".kube", ".aws":
		return "programs obey it whenever they start"
	}
	return ""
}
