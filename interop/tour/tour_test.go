//go:build peers

package tour_test

import (
	_ "embed" // the script
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

//go:embed tour.md
var script string

var into = flag.String("write", "", "the folder to write tour.md and tour/*.svg to")

// TestTour takes the tour as tour.md says it and, with -write, writes it down.
//
// Paragraphs are copied. The lines of a block "tour" are done, in order:
//
//	in DIR COLSxROWS NAME   open a terminal in DIR
//	in NAME                 go back to one
//	$ COMMAND               run it and show what it printed
//	> COMMAND               begin it
//	wait TEXT               until it stands on the screen
//	gone TEXT               until it does not
//	keys KEY...  type TEXT  press keys
//	shot NAME TITLE         show a picture of the screen
//	quit                    end the agent's program
//	ended                   wait for the end of what was begun
func TestTour(t *testing.T) {
	top := t.TempDir()
	if *into != "" {
		top = "/tmp/adas" // as long as the name it gets
		if err := os.Mkdir(top, 0o700); err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(top)
	}
	g := &guide{t: t, h: newHouse(t, top), shells: map[string]*shell{}, pictures: map[string]string{}, ids: map[string]string{}}
	block := false
	for line := range strings.Lines(script) {
		switch line = strings.TrimSuffix(line, "\n"); {
		case line == "```tour":
			block = true
		case block && line == "```":
			block = false
		case block:
			g.do(line)
		case line != "" || !strings.HasSuffix(g.page.String(), "\n\n"): // a block may show nothing
			g.page.WriteString(line + "\n")
		}
	}
	if *into != "" {
		g.write(*into)
	}
}

// A guide takes the tour.
type guide struct {
	t        *testing.T
	h        *house
	page     strings.Builder
	shells   map[string]*shell
	now      *shell
	pictures map[string]string
	ids      map[string]string // of operations, as they are called here
}

// do does one line of a block.
func (g *guide) do(line string) {
	g.t.Helper()
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "in":
		g.enter(strings.Fields(rest))
	case "$":
		out := g.now.run(rest)
		g.text(rest, out)
	case ">":
		g.now.begin(rest)
	case "wait":
		g.now.WaitFor(rest)
	case "keys":
		g.now.Send(strings.Fields(rest)...)
	case "type":
		g.now.Send(rest)
	case "shot":
		name, title, _ := strings.Cut(rest, " ")
		g.shoot(name, title)
	case "gone":
		g.now.WaitFor(func(screen string) bool { return !strings.Contains(screen, rest) })
	case "quit":
		g.now.quit()
	case "ended":
		g.now.WaitFor(g.now.prompted)
	default:
		g.t.Fatalf("tour.md: %q is nothing to do", line)
	}
}

// enter goes to a terminal, which is opened when more is said of it.
func (g *guide) enter(words []string) {
	g.t.Helper()
	name := words[len(words)-1]
	if len(words) == 3 {
		var cols, rows int
		if _, err := fmt.Sscanf(words[1], "%dx%d", &cols, &rows); err != nil {
			g.t.Fatalf("tour.md: in %v: %v", words, err)
		}
		g.shells[name] = g.h.shell(g.t, words[0], cols, rows)
	}
	if g.now = g.shells[name]; g.now == nil {
		g.t.Fatalf("tour.md: no terminal is called %s", name)
	}
}

// text shows what a command printed.
func (g *guide) text(command, out string) {
	prompt := "$ "
	if row, _, ok := strings.Cut(g.now.Row(0), " $ "); ok {
		prompt = row + " $ "
	}
	if out == "\n" {
		out = ""
	}
	text := "```\n" + prompt + command + "\n" + g.homely(out) + "```\n"
	page := g.page.String()
	if before, ok := strings.CutSuffix(page, "```\n"); ok { // one block for commands in a row
		g.page.Reset()
		g.page.WriteString(before)
		text = strings.TrimPrefix(text, "```\n")
	}
	g.page.WriteString(text)
}

// shoot shows a picture of the screen, without empty rows at its end.
func (g *guide) shoot(name, title string) {
	rows := len(strings.Split(strings.TrimRight(g.now.Screen(), "\n"), "\n"))
	g.pictures[name] = g.homely(svg(title, g.now.Terminal, g.now.cols, rows))
	g.page.WriteString("![" + title + "](tour/" + name + ".svg)\n")
}

// homely gives the home directory a name that a home may have, and the ids of
// operations, which are drawn anew each time, those that they always have here.
func (g *guide) homely(text string) string {
	text = strings.ReplaceAll(text, g.h.Home, "/home/ada")
	text = strings.ReplaceAll(text, "--tmp-adas-", "--home-ada-")
	text = strings.ReplaceAll(text, " adas/", " ada/")
	return operation.ReplaceAllStringFunc(text, func(found string) string {
		id := strings.TrimSpace(found)
		if g.ids[id] == "" {
			g.ids[id] = fmt.Sprintf("%012x", (len(g.ids)+1)*0x9e3779b97f4)
		}
		return strings.Replace(found, id, g.ids[id], 1)
	})
}

// operation matches the id of an operation that can be undone.
var operation = regexp.MustCompile(`(?m)(^|\s)[0-9a-f]{12}(\s|$)`)

// write writes the tour down.
func (g *guide) write(dir string) {
	g.t.Helper()
	old, err := filepath.Glob(filepath.Join(dir, "tour", "*.svg"))
	if err != nil {
		g.t.Fatal(err)
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			g.t.Fatal(err)
		}
	}
	files := map[string]string{"tour.md": g.page.String()}
	for name, picture := range g.pictures {
		files["tour/"+name+".svg"] = picture
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			g.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			g.t.Fatal(err)
		}
	}
}
