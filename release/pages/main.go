// Command pages writes the manual pages of the command, and what shells need to complete
// it, below a directory: man/cambium.1 and a page for each command below it, and
// completions/cambium.bash, .zsh, .fish and .ps1. Releases are packed with them.
// DATE, as in 2026-01-31, is the date of the pages.
//
// Usage: go run ./release/pages DIR DATE
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/cli"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "pages: usage: pages DIR DATE")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(1)
	}
}

// write writes all of it below dir.
func write(dir, date string) error {
	man := filepath.Join(dir, "man")
	if err := os.MkdirAll(man, 0o755); err != nil {
		return err
	}
	if err := manual(man, date, cli.Command()); err != nil {
		return err
	}
	return completions(filepath.Join(dir, "completions"))
}

// completions writes the script of each shell, as the command prints it.
func completions(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for shell, suffix := range map[string]string{"bash": "bash", "zsh": "zsh", "fish": "fish", "powershell": "ps1"} {
		f, err := os.Create(filepath.Join(dir, "cambium."+suffix))
		if err != nil {
			return err
		}
		code := cli.Main([]string{"completion", shell}, nil, f, os.Stderr, []string{"HOME=" + dir})
		if err := f.Close(); err != nil {
			return err
		}
		if code != 0 {
			return fmt.Errorf("write completions of %s: exit code %d", shell, code)
		}
	}
	return nil
}
