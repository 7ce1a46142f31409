package coder

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/project"
	"github.com/cambium-dev/cambium/internal/vfs"
)

// How much of the files with instructions a model is told, in bytes.
const (
	instructionsEach = 32 << 10
	instructionsAll  = 96 << 10
)

// An Instruction is a file in which a project says something to agents. The model
// is told of it before the conversation, unless it is left out.
type Instruction struct {
	// Path is where the file is, without links.
	Path string
	// Text is what the model is told; "" when the file is left out. Cut says that
	// the file goes on where the text ends.
	Text string
	Cut  bool
	// Why says why the file is left out and what a person can do who means it; ""
	// when it is not.
	Why string
}

// Instructions returns what a project says about itself to agents: AGENTS.md, else
// CLAUDE.md, of a directory and those above it up to the root of its git repository,
// the outermost first. Outside a repository that is the directory alone. What is too
// long is cut. What somebody else may have put there, and what is no file, is among
// them with the reason why it is left out; a blank file is not among them.
func Instructions(dir string) []Instruction {
	fsys := vfs.OS()
	p := project.Find(fsys, dir)
	var found []Instruction
	left := instructionsAll
	for _, d := range p.Dirs { // the nearest first: it is cut last
		of := instructionsIn(fsys, d, min(left, instructionsEach))
		for _, i := range of {
			left -= len(i.Text)
		}
		found = append(found, of...)
	}
	for _, name := range instructionNames() {
		path := filepath.Join(p.Stop, name)
		if _, err := fsys.Lstat(path); p.Stop != "" && err == nil {
			found = append(found, Instruction{Path: path, Why: fmt.Sprintf("its directory is not looked into: %s", p.Why)})
			break
		}
	}
	slices.Reverse(found)
	return found
}

// Instructions returns what the project in which the agent works says to agents, as
// the next prompt will tell it; none without a session.
func (c *Coder) Instructions() []Instruction {
	if c.agent.Session() == nil {
		return nil
	}
	return Instructions(c.agent.Dir())
}

// instructionNames are the files with instructions; of those in one directory the
// first counts.
func instructionNames() []string { return []string{"AGENTS.md", "CLAUDE.md"} }

// instructionsIn returns the file of a directory that counts, and those before it
// that are left out.
func instructionsIn(fsys vfs.FS, dir string, most int) []Instruction {
	var all []Instruction
	for _, name := range instructionNames() {
		path := filepath.Join(dir, name)
		data, whole, err := project.Read(fsys, path, int64(most))
		broken := "\uFFFD"
		if !whole {
			broken = "" // the last rune may be cut
		}
		switch text := strings.TrimSpace(strings.ToValidUTF8(string(data), broken)); {
		case errors.Is(err, fs.ErrNotExist) || namesOther(fsys, path):
		case err != nil:
			all = append(all, Instruction{Path: path, Why: err.Error()})
		case text == "":
			return all
		default:
			return append(all, Instruction{Path: path, Text: text, Cut: !whole})
		}
	}
	return all
}

// namesOther reports whether a file is a link to one that counts in its place.
func namesOther(fsys vfs.FS, path string) bool {
	to, err := fsys.Readlink(path)
	return err == nil && slices.Contains(instructionNames(), to)
}

// told is how a model is told of instructions.
func told(all []Instruction) string {
	var b strings.Builder
	for _, i := range all {
		if i.Why != "" {
			continue
		}
		if i.Cut {
			i.Text += "\n[the rest is left out]"
		}
		fmt.Fprintf(&b, "\n<instructions file=%q>\n%s\n</instructions>\n", i.Path, i.Text)
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nThe project's own instructions; the ones further down are nearer and count first.\n" + b.String()
}
