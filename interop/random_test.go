//go:build peers

package interop_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cambium-dev/cambium/internal/sessiongen"
)

// TestRandomSessionsMeanTheSame lets Cambium and the dialect's own program read
// the same random sessions and compares all that they say of them: header,
// entries, leaf, title, labels, tree, and for every leaf the context, its state
// and what a model is sent. Cambium leaves the file as it was.
func TestRandomSessionsMeanTheSame(t *testing.T) {
	for p, name := range managers() {
		d := start(t, p)
		dir := t.TempDir()
		seen, left := traits{}, 0
		failures := 0
		for seed := range uint64(sessions) {
			s := sessiongen.Random(rand.New(rand.NewPCG(seed, 31)), sessiongen.Options{Dialect: sessiongen.Dialect(name), Clean: true})
			seen.count(s)
			path := filepath.Join(dir, fmt.Sprint(seed, ".jsonl"))
			if err := os.WriteFile(path, s.Bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := oursOf(t, path, name, s.Leaves)
			if err != nil {
				t.Fatalf("%s seed %d: %v", p, seed, err)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, s.Bytes) {
				t.Errorf("%s seed %d: reading changed the file (%v)", p, seed, err)
			}
			want, err := theirs(d, path, s.Leaves)
			if err != nil {
				t.Fatalf("%s seed %d: %v", p, seed, err)
			}
			if leafBeforeExit(want, got, s.Bytes) {
				left++
			}
			if err := agree(want, got); err != nil {
				t.Errorf("%s seed %d: %.2000s", p, seed, err)
				if failures++; failures == 10 {
					break
				}
			}
		}
		t.Logf("%s: %d sessions, %v; in %d the leaf stands before a session_exit (D17)", p, sessions, seen, left)
		for _, trait := range []string{"several roots", "labels", "labels on labels", "compactions", "branches", "beyond the BMP", "CRLF", "no final newline"} {
			if failures == 0 && seen[trait] < 10 {
				t.Errorf("%s: only %d of %d sessions have %s", p, seen[trait], sessions, trait)
			}
		}
	}
}

// traits counts the sessions that have what is easily read wrongly.
type traits map[string]int

func (c traits) count(s sessiongen.Session) {
	roots, onLabels := 0, false
	for _, parent := range s.Parents {
		if parent == "" {
			roots++
		}
	}
	labelled := map[string]bool{}
	for line := range bytes.SplitSeq(s.Bytes, []byte("\n")) {
		if bytes.Contains(line, []byte(`"label"`)) && bytes.Contains(line, []byte(`"targetId"`)) {
			for _, id := range s.IDs {
				if bytes.Contains(line, []byte(`"id":"`+id+`"`)) {
					labelled[id] = true
				}
			}
		}
	}
	for id := range s.Labels {
		onLabels = onLabels || labelled[id]
	}
	for trait, has := range map[string]bool{
		"several roots": roots > 1, "labels": len(s.Labels) > 0, "labels on labels": onLabels,
		"compactions": s.Kinds["compaction"] > 0, "branches": len(s.Leaves) > 1,
		"beyond the BMP": bytes.IndexFunc(s.Bytes, func(r rune) bool { return r > 0xffff }) >= 0,
		"CRLF":           s.CRLF, "no final newline": s.Unterminated,
	} {
		if has {
			c[trait]++
		}
	}
}
