package cli

import (
	"context"
	"fmt"

	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/dustin/go-humanize"
)

// jsonUsage is a row of doctor --usage.
type jsonUsage struct {
	Kind       string `json:"kind"`
	Path       string `json:"path"`
	Files      int    `json:"files"`
	Bytes      int64  `json:"bytes"`
	WasteFiles int    `json:"removable"`
	WasteBytes int64  `json:"removableBytes"`
	Policy     string `json:"policy"`
}

// jsonWaste is what doctor --clean takes away.
type jsonWaste struct {
	Kind    string `json:"kind"`
	Path    string `json:"path"`
	Bytes   int64  `json:"bytes"`
	Why     string `json:"why"`
	Removed bool   `json:"removed"`
}

// runUsage prints what takes how much.
func runUsage(ctx context.Context, a *app) error {
	all, err := a.lib.Usages(ctx)
	if err != nil {
		return told(err)
	}
	for _, u := range all {
		j := jsonUsage{Kind: u.Kind, Path: u.Dir, Files: u.Files, Bytes: u.Bytes, WasteFiles: len(u.Waste), Policy: u.Policy}
		for _, w := range u.Waste {
			j.WasteBytes += w.Bytes
		}
		if a.flags.json {
			err = a.emit(j)
		} else {
			text := fmt.Sprintf("%-10s  %10s in %s", u.Kind, humanize.IBytes(uint64(u.Bytes)), plural(u.Files, "file"))
			if len(u.Waste) > 0 {
				text += fmt.Sprintf("; %s (%d) can go", humanize.IBytes(uint64(j.WasteBytes)), len(u.Waste))
			}
			_, err = fmt.Fprintf(a.out, "%s\n            %s\n", text, u.Policy)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runClean takes away what is of no more use, after a question; dry only says what.
func runClean(ctx context.Context, a *app, dry, yes bool) error {
	all, err := a.lib.Usages(ctx)
	if err != nil {
		return told(err)
	}
	n, size := 0, int64(0)
	for _, u := range all {
		for _, w := range u.Waste {
			n, size = n+1, size+w.Bytes
		}
	}
	failed := 0
	for _, u := range all {
		for _, l := range u.Left {
			failed++
			a.report(problem{exit: exitPartly, path: l.Path, text: fmt.Sprintf("%q is left alone: %s", l.Path, l.Why)})
		}
	}
	if n == 0 && failed == 0 {
		a.note("", "nothing is to be cleaned")
		return nil
	}
	if n > 0 && !dry && !yes {
		if err := confirm(ctx, a, fmt.Sprintf("delete %d things of %s, which `cambium doctor --clean --dry-run` lists?", n, humanize.IBytes(uint64(size)))); err != nil {
			return err
		}
	}
	for _, u := range all {
		for _, w := range u.Waste {
			if !dry {
				if err := w.Remove(ctx); err != nil {
					failed++
					a.report(classify(a.lib.RecordError(w.Path, err)))
					continue
				}
			}
			if err := showCleaned(a, u.Kind, w, !dry); err != nil {
				return err
			}
		}
	}
	if failed > 0 {
		return problem{exit: exitPartly, printed: true}
	}
	return nil
}

// showCleaned prints one thing that is, or would be, taken away.
func showCleaned(a *app, kind string, w state.Waste, removed bool) error {
	if a.flags.json {
		return a.emit(jsonWaste{Kind: kind, Path: w.Path, Bytes: w.Bytes, Why: w.Why, Removed: removed})
	}
	_, err := fmt.Fprintf(a.out, "%-10s  %10s  %s  (%s)\n", kind, humanize.IBytes(uint64(w.Bytes)), term.Line(w.Path), term.Line(w.Why))
	return err
}
