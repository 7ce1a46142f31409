package coder

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// How much of the files with instructions a model is told, in bytes.
const (
	instructionsEach = 32 << 10
	instructionsAll  = 96 << 10
)

// systemPrompt says what a model is told before the conversation. It is the same
// for all turns of a prompt and, on one day, for those that follow, so that
// providers can keep it.
func (c *Coder) systemPrompt() string {
	dir := c.agent.Session().CWD()
	var b strings.Builder
	if c.opt.System != "" {
		b.WriteString(c.opt.System)
	} else {
		b.WriteString("You are a coding agent. You work on a person's files, in the directory below, and talk to that person.\n\n" +
			"- Look before you change: read what you are about to edit, and what depends on it.\n" +
			"- Do what was asked, no more, and see for yourself that it works.\n" +
			"- Where a call is refused or fails, say so and do not try to get around it.\n" +
			"- Answer briefly and name files by their paths.\n")
		if len(c.equipment().specs) > 0 {
			fmt.Fprintf(&b, "\nYour tools: %s. Paths are relative to the directory.\n", c.toolNames())
		}
	}
	fmt.Fprintf(&b, "\nDirectory: %s\nDate: %s\n", dir, c.opt.Now().Format("2006-01-02"))
	b.WriteString(instructions(dir))
	if c.opt.MoreSystem != "" {
		b.WriteString("\n" + c.opt.MoreSystem + "\n")
	}
	return b.String()
}

// instructions returns what a project says about itself to agents: AGENTS.md,
// else CLAUDE.md, of the directory and those above it up to the root of its git
// repository, the outermost first. Outside a repository that is the directory
// alone. What is too long is cut, and what cannot be read is left out.
func instructions(dir string) string {
	var found []string
	left := instructionsAll
	for _, d := range upToRoot(dir) { // the nearest first: it is cut last
		for _, name := range []string{"AGENTS.md", "CLAUDE.md"} {
			path := filepath.Join(d, name)
			text, ok := beginningOf(path, min(left, instructionsEach))
			if !ok {
				continue
			}
			left -= len(text)
			if strings.TrimSpace(text) != "" {
				found = append(found, fmt.Sprintf("\n<instructions file=%q>\n%s\n</instructions>\n", path, strings.TrimSpace(text)))
			}
			break
		}
	}
	slices.Reverse(found)
	if len(found) == 0 {
		return ""
	}
	return "\nThe project's own instructions; the ones further down are nearer and count first.\n" + strings.Join(found, "")
}

// upToRoot returns a directory and those above it up to the root of its git
// repository; outside of one the directory alone.
func upToRoot(dir string) []string {
	all := []string{}
	for d := dir; ; d = filepath.Dir(d) {
		all = append(all, d)
		if _, err := os.Stat(filepath.Join(d, ".git")); err == nil {
			return all
		}
		if filepath.Dir(d) == d {
			return []string{dir}
		}
	}
}

// beginningOf reads at most so many bytes of a regular file, and says so where
// that is not all.
func beginningOf(path string, most int) (string, bool) {
	info, err := os.Stat(path) // a pipe would never end
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err != nil {
		return "", false
	}
	if len(data) > most {
		return strings.ToValidUTF8(string(data[:most]), "") + "\n[the rest is left out]", true
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), true
}
