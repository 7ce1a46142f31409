package repair_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// flood is a session of n lines.
func flood(n int, line func(i int) string) string {
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"flood","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}` + "\n")
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

// TestFloods: what a look at a session of nothing but one kind of trouble takes grows
// with its lines, not with their square.
func TestFloods(t *testing.T) {
	for name, line := range map[string]func(i int) string{
		"objects": func(int) string { return `{}` },
		"arrays":  func(int) string { return `[]` },
		"nulls":   func(int) string { return `null` },
		"types":   func(int) string { return `{"type":"x"}` },
		"ids":     func(int) string { return `{"id":""}` },
		"one id":  func(i int) string { return fmt.Sprintf(`{"type":"message","id":"%d","parentId":"%d"}`, i%2, i%2) },
		"orphans": func(i int) string { return fmt.Sprintf(`{"type":"message","id":"%08x","parentId":"gone %d"}`, i, i) },
		"titles":  func(i int) string { return fmt.Sprintf(`{"type":"title","title":"%d"}`, i) },
		"headers": func(i int) string { return fmt.Sprintf(`{"type":"session","version":3,"id":"%d"}`, i) },
		"labels": func(i int) string {
			return fmt.Sprintf(`{"type":"label","id":"%08x","parentId":null,"targetId":"a","label":"%d"}`, i, i)
		},
		"compactions": func(i int) string {
			return fmt.Sprintf(`{"type":"compaction","id":"%08x","parentId":"%08x","firstKeptEntryId":"gone"}`, i, i-1)
		},
		"blobs": func(i int) string {
			return fmt.Sprintf(`{"type":"message","id":"%08x","parentId":"%08x","message":{"role":"user","content":[{"type":"image","data":"blob:sha256:%064x"}]}}`, i, i-1, i)
		},
	} {
		t.Run(name, func(t *testing.T) {
			took := func(n int) int {
				w := newWard(t)
				path := w.write(".pi/agent/sessions/--x--/2026-01-01T00-00-00-000Z_flood.jsonl", flood(n, line))
				return int(testing.AllocsPerRun(1, func() {
					if _, err := w.doctor().Session(t.Context(), path); err != nil {
						t.Fatal(err)
					}
				}))
			}
			const n = 800
			if some, more := took(n), took(2*n); more > 22*some/10+1000 {
				t.Errorf("%d lines take %d allocations, twice as many take %d", n, some, more)
			}
		})
	}
}

// lapsing is a context that ends when it has been asked so often.
type lapsing struct {
	context.Context
	left, late int
}

func (l *lapsing) Err() error {
	if l.left--; l.left >= 0 {
		return nil
	}
	l.late++
	return context.Canceled
}

// TestFloodIsInterrupted: whatever a look is at, it ends when it is to end.
func TestFloodIsInterrupted(t *testing.T) {
	w := newWard(t)
	path := w.write(".pi/agent/sessions/--x--/2026-01-01T00-00-00-000Z_flood.jsonl", flood(2000, func(int) string { return `{}` }))
	whole := &lapsing{Context: t.Context(), left: 1 << 30}
	if _, err := w.doctor().Session(whole, path); err != nil {
		t.Fatal(err)
	}
	asked := 1<<30 - whole.left
	if asked < 4000 {
		t.Errorf("naming and looking at 2000 lines asks %d times whether to end", asked)
	}
	for left := 0; left < asked; left += 97 {
		ctx := &lapsing{Context: t.Context(), left: left}
		if _, err := w.doctor().Session(ctx, path); !errors.Is(err, context.Canceled) || ctx.late > 50 {
			t.Fatalf("ended after %d questions: %v, and %d more", left, err, ctx.late)
		}
	}
}
