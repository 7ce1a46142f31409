package tool

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
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
	if p.inRepository() || p.namedByGit() {
		return acting(".git")
	}
	return ""
}

// inRepository reports whether a place is in a directory of git's own, whatever that is
// called: git obeys what has these names in it. One of them beside another counts, too: it may
// be the last that such a directory lacks.
func (p *place) inRepository() bool {
	below := filepath.ToSlash(p.rel)
	for {
		dir, name := path.Dir(below), path.Base(below)
		there, itself := 0, false
		for _, piece := range []string{"HEAD", "objects", "refs"} {
			_, err := p.root.Lstat(path.Join(dir, piece))
			if own := strings.EqualFold(name, piece); own {
				itself = true
			} else if err == nil {
				there++
			}
		}
		switch {
		case itself && there > 0, there == 3:
			return true
		case dir == "." || dir == "/":
			return false
		}
		below = dir
	}
}

// namedByGit reports whether the settings of the repository name a place, or a directory that
// it is in: as where its hooks are, or more settings.
func (p *place) namedByGit() bool {
	f, err := p.root.OpenFile(".git/config", os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // nothing was written
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	text, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return false
	}
	rel, real := strings.ToLower(filepath.ToSlash(p.rel)), strings.ToLower(filepath.ToSlash(p.real))
	for line := range strings.Lines(strings.ToLower(string(text))) {
		key, value, ok := strings.Cut(line, "=")
		value = strings.Trim(strings.TrimSpace(value), `"`)
		if key = strings.TrimSpace(key); !ok || !strings.Contains(value, "/") && key != "path" && key != "hookspath" {
			continue
		}
		value, _, _ = strings.Cut(strings.TrimPrefix(value, "!"), " ")
		for _, at := range []string{path.Clean(value), path.Join(".git", value)} {
			for _, is := range []string{rel, real} {
				if at != "." && at != "/" && (is == at || strings.HasPrefix(is, at+"/")) {
					return true
				}
			}
		}
	}
	return false
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
	case ".envrc", ".mise.toml", "mise.toml", ".tool-versions":
		return "it sets up every shell that enters the directory"
	case ".vscode", ".idea", ".zed", ".nvim.lua", ".exrc", ".vimrc", ".nvimrc", ".lazy.lua", ".devcontainer", ".dir-locals.el", ".gdbinit", ".lldbinit":
		return "editors run what it names"
	case ".github", ".gitlab-ci.yml", ".circleci", ".woodpecker", ".forgejo", ".gitea":
		return "servers run what it names once it is pushed"
	case "agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", "qwen.md", ".mcp.json", ".gemini", ".claude", ".codex", ".cursor", ".cursorrules",
		".cambium", ".pi", ".omp", ".xcsh", ".opencode", "opencode.json", "opencode.jsonc", ".crush", "crush.json", ".crush.json", "crush.md", ".qwen", ".copilot", ".windsurf",
		".windsurfrules", ".clinerules", ".roo", ".roorules", ".aider.conf.yml", ".continue", ".agents", ".agent":
		return "agents obey it in every later session"
	case ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin",
		".inputrc", ".tmux.conf", ".xinitrc", ".xprofile":
		return "shells run it when they start"
	case ".ssh", ".gnupg", ".config", ".local", ".npmrc", ".yarnrc", ".yarnrc.yml", ".cargo", ".netrc", ".docker", ".kube", ".aws":
		return "programs obey it whenever they start"
	}
	return ""
}
