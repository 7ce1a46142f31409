//go:build peers

package tour_test

import (
	_ "embed" // the script
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/interop/peers"
)

//go:embed tour.md
var script string

//go:embed agent.md
var agentScript string

//go:embed chat.md
var chatScript string

// Where the second and the third part begin.
const (
	second = "# An agent at work\n"
	third  = "# A conversation\n"
)

var into = flag.String("write", "", "the folder to write tour.md and tour/*.svg to")

// TestTour takes the tour as tour.md, agent.md and chat.md say it and, with -write,
// writes it down. Without, the second part must be as it was written down, and the
// third with its pictures.
//
// Paragraphs are copied. The lines of a block "tour" are done, in order:
//
//	in DIR COLSxROWS NAME   open a terminal in DIR
//	in NAME                 go back to one
//	$ COMMAND               run it and show what it printed
//	> COMMAND               begin it
//	wait TEXT               until it stands on the screen
//	gone TEXT               until it does not
//	asked TEXT              until the cursor stands behind it
//	keys KEY...  type TEXT  press keys
//	shot NAME TITLE         show a picture of the screen
//	know NAME PATTERN       have {NAME} stand for what was printed last, as the
//	                        expression finds it
//	kill                    kill the command that was begun (SIGKILL)
//	quit                    end the agent's program
//	ended                   wait for the end of what was begun
func TestTour(t *testing.T) {
	var parts []*guide
	t.Run("sessions", func(t *testing.T) {
		top := t.TempDir()
		if *into != "" {
			top = "/tmp/adas" // as long as the name it gets
			if err := os.Mkdir(top, 0o700); err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(top)
		}
		h := newHouse(t, top)
		ofClaude(t, top)
		g := &guide{t: t, h: h, homes: []string{"--tmp-adas-", "--home-ada-", "/-tmp-adas-", "/-home-ada-", " adas/", " ada/"}, name: "/home/ada"}
		g.take(script)
		parts = append(parts, g)
	})
	root, err := peers.Root()
	if err != nil {
		t.Fatal(err)
	}
	doc := filepath.Join(root, "doc")
	t.Run("agent", func(t *testing.T) {
		g := newAgentGuide(t, atTheTill)
		g.take(agentScript)
		parts = append(parts, g)
		if g.written = doc; *into == "" {
			g.asWritten(second, third)
		}
	})
	t.Run("chat", func(t *testing.T) {
		g := newAgentGuide(t, atTheShelf)
		if *into == "" {
			g.written = doc // each picture is waited for
		}
		g.take(chatScript)
		parts = append(parts, g)
		if *into == "" {
			g.asWritten(third, "")
		}
	})
	if *into != "" && !t.Failed() {
		written(t, *into, parts)
	}
}

// A guide takes the tour.
type guide struct {
	t        *testing.T
	h        *house
	page     strings.Builder
	shells   map[string]*shell
	now      *shell
	printed  string // last
	pictures map[string]string
	ids      map[string]string // what is drawn anew each time, as it is called here
	known    map[string]string
	name     string   // of the home, as it is called here
	homes    []string // names of folders made of the home's, and what they are called here
	anew     *regexp.Regexp
	written  string // where pictures are with which those that are taken are compared; "" for nowhere
}

// take takes the tour of a script.
func (g *guide) take(script string) {
	g.shells, g.pictures, g.ids, g.known = map[string]*shell{}, map[string]string{}, map[string]string{}, map[string]string{}
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
}

// do does one line of a block.
func (g *guide) do(line string) {
	g.t.Helper()
	verb, rest, _ := strings.Cut(line, " ")
	for name, value := range g.known {
		rest = strings.ReplaceAll(rest, "{"+name+"}", value)
	}
	switch verb {
	case "in":
		g.enter(strings.Fields(rest))
	case "$":
		g.printed = g.now.run(rest)
		g.text(rest, g.printed)
	case ">":
		g.now.begin(rest)
	case "know":
		name, pattern, _ := strings.Cut(rest, " ")
		found := regexp.MustCompile(pattern).FindStringSubmatch(g.printed)
		if found == nil {
			g.t.Fatalf("%q is not in what was printed: %s", pattern, g.printed)
		}
		g.known[name] = found[len(found)-1]
	case "kill":
		g.h.kill(g.t)
	case "wait":
		g.now.WaitFor(rest)
	case "keys":
		g.now.Send(strings.Fields(rest)...)
	case "type":
		g.now.Send(rest)
	case "shot":
		name, title, _ := strings.Cut(rest, " ")
		g.shoot(name, title)
	case "draw": // a picture that is another one each day
		name, title, _ := strings.Cut(rest, " ")
		g.draw(name, title)
	case "gone":
		g.now.WaitFor(func(screen string) bool { return !strings.Contains(screen, rest) })
	case "asked":
		g.now.WaitFor(func(screen string) bool {
			_, y, _ := g.now.Cursor()
			return strings.HasSuffix(strings.TrimSpace(strings.Split(screen, "\n")[y]), rest)
		})
	case "quit":
		g.now.quit()
	case "ended":
		g.now.WaitFor(g.now.prompted)
	default:
		g.t.Fatalf("%q is nothing to do", line)
	}
}

// enter goes to a terminal, which is opened when more is said of it.
func (g *guide) enter(words []string) {
	g.t.Helper()
	name := words[len(words)-1]
	if len(words) == 3 {
		var cols, rows int
		if _, err := fmt.Sscanf(words[1], "%dx%d", &cols, &rows); err != nil {
			g.t.Fatalf("in %v: %v", words, err)
		}
		g.shells[name] = g.h.shell(g.t, words[0], cols, rows)
	}
	if g.now = g.shells[name]; g.now == nil {
		g.t.Fatalf("no terminal is called %s", name)
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
	text := "```\n" + prompt + g.homely(command) + "\n" + g.homely(out) + "```\n"
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
	g.t.Helper()
	if g.written != "" {
		g.awaits(name, title)
	}
	g.draw(name, title)
}

// draw is shoot for what is not compared.
func (g *guide) draw(name, title string) {
	g.pictures[name] = g.picture(title, g.now.Screen())
	g.page.WriteString("![" + title + "](tour/" + name + ".svg)\n")
}

// picture draws the screen.
func (g *guide) picture(title, screen string) string {
	rows := len(strings.Split(strings.TrimRight(screen, "\n"), "\n"))
	return g.homely(svg(title, g.now.Terminal, g.now.cols, rows))
}

// awaits waits until the screen is as it was written down.
func (g *guide) awaits(name, title string) {
	g.t.Helper()
	path := filepath.Join(g.written, "tour", name+".svg")
	want, err := os.ReadFile(path)
	if err != nil {
		g.t.Fatal(err)
	}
	ids := g.ids
	defer func() {
		if g.t.Failed() {
			g.t.Logf("%s is not what is seen (make tour writes it)", path)
		}
	}()
	g.now.WaitFor(func(screen string) bool {
		g.ids = maps.Clone(ids) // what is seen on the way is given no names
		return g.picture(title, screen) == string(want)
	})
}

// homely gives the home directory a name that a home may have, and the ids of
// operations and what else is drawn anew each time those that they always have
// here. The wheel of what is going on stands where it begins: it turns with what
// comes, and how much comes at once is chance.
func (g *guide) homely(text string) string {
	text = wheel.ReplaceAllString(text, "⠋")
	text = strings.ReplaceAll(text, g.h.Home, g.name)
	text = strings.NewReplacer(g.homes...).Replace(text)
	if g.anew != nil {
		text = heading.ReplaceAllString(text, "AGE ID        AGENT")
		text = listed.ReplaceAllString(text, "${1}${2}${3} ${4}")
		text = g.anew.ReplaceAllStringFunc(text, func(id string) string { return g.called(id[:8]) + g.called(id[8:]) })
	}
	return operation.ReplaceAllStringFunc(text, func(found string) string {
		id := strings.TrimSpace(found)
		return strings.Replace(found, id, g.called(id), 1)
	})
}

// called is what an id is called here, with as many digits.
func (g *guide) called(id string) string {
	if g.ids[id] == "" {
		digits := fmt.Sprintf("%012x", (len(g.ids)+1)*0x9e3779b97f4)
		g.ids[id] = (digits + digits)[:len(id)]
	}
	return g.ids[id]
}

// heading and listed match the head of a list of sessions, and the beginning of a row:
// how many digits tell ids apart that are made anew is chance.
var (
	heading = regexp.MustCompile(`(?m)^AGE ID +AGENT`)
	listed  = regexp.MustCompile(`(?m)^(now )([0-9a-f])[0-9a-f]*([0-9a-f]{8}) +(cambium)`)
)

// wheel matches the sign that something is going on.
var wheel = regexp.MustCompile("[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]")

// operation matches the id of an operation that can be undone.
var operation = regexp.MustCompile(`(?m)(^|\s)[0-9a-f]{12}(\s|$)`)

// written writes the parts of the tour down.
func written(t *testing.T, dir string, parts []*guide) {
	t.Helper()
	old, err := filepath.Glob(filepath.Join(dir, "tour", "*.svg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	files := map[string]string{}
	for _, g := range parts {
		files["tour.md"] += g.page.String()
		for name, picture := range g.pictures {
			files["tour/"+name+".svg"] = picture
		}
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
