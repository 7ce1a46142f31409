package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/cli"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestPages: each command has a page, which names its flags, and what it is told there is
// text and not of the language of pages; each shell has its script.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir, "2026-01-31"); err != nil {
		t.Fatal(err)
	}
	commands := 0
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		if !cmd.IsAvailableCommand() && cmd.HasParent() {
			return
		}
		commands++
		data, err := os.ReadFile(filepath.Join(dir, "man", pageName(cmd)+".1"))
		if err != nil {
			t.Error(err)
		}
		holds(t, cmd, string(data))
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	look(cli.Command())
	if commands < 40 {
		t.Errorf("%d commands", commands)
	}
	for _, name := range []string{"bash", "zsh", "fish", "ps1"} {
		if data, err := os.ReadFile(filepath.Join(dir, "completions", "cambium."+name)); err != nil || !strings.Contains(string(data), "cambium") {
			t.Errorf("completions for %s: %.100q, %v", name, data, err)
		}
	}
}

// holds checks a page.
func holds(t *testing.T, cmd *cobra.Command, page string) {
	t.Helper()
	known := strings.Fields(".TH .SH .B .br .PP .TP .nf .fi .RS .RE .BR")
	for line := range strings.Lines(page) {
		macro, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if strings.HasPrefix(line, ".") && !strings.Contains(strings.Join(known, " ")+" ", macro+" ") || strings.HasPrefix(line, "'") {
			t.Errorf("%s: %q", cmd.CommandPath(), line)
		}
	}
	cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if want := strings.ReplaceAll("--"+f.Name, "-", `\-`); !f.Hidden && !strings.Contains(page, want) {
			t.Errorf("%s: its page does not name --%s", cmd.CommandPath(), f.Name)
		}
	})
}
