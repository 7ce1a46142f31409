package cli_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/term"
)

// Help fits the terminal, asks it nothing, and says where there is none.
func TestHelp(t *testing.T) {
	at := newMachine(t)
	all, said, exit := at.run("--help")
	if exit != 0 {
		t.Fatalf("help ends with %d: %s", exit, said)
	}
	var names []string
	for line := range strings.Lines(all) {
		if strings.HasPrefix(line, "  ") && line[2] >= 'a' && line[2] <= 'z' {
			names = append(names, strings.Fields(line)[0])
		}
	}
	if len(names) < 30 {
		t.Fatalf("help lists %d commands: %q", len(names), names)
	}
	for _, name := range names {
		if name == "cambium" {
			continue
		}
		got, said, exit := at.run("help", name)
		if exit != 0 || !strings.Contains(got, "USAGE\n  cambium "+name) {
			t.Errorf("help %s ends with %d: %s%s", name, exit, got, said)
		}
		for line := range strings.Lines(got) {
			if strings.Contains(line, "\x1b") {
				t.Errorf("help %s drives the terminal: %q", name, line)
			}
			if line = strings.TrimRight(line, "\n"); term.Width(line) > 80 && !strings.HasPrefix(line, "  ") {
				t.Errorf("help %s is wider than 80 columns: %q", name, line)
			}
		}
	}
	for _, args := range [][]string{{"help", "serch"}, {"completion", "fsh"}, {"serch"}, {""}, {"help", ""}} {
		got, said, exit := at.run(args...)
		if exit != 2 || !strings.Contains(said, "no command is called") {
			t.Errorf("%q ends with %d: %s%s", args, exit, got, said)
		}
	}
}
