package repair_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/repair"
	"github.com/cambium-dev/cambium/session"
)

// TestSparse: a session that ends in a hole of 60 GB is opened and looked at without
// reading the hole, which is said and left alone.
func TestSparse(t *testing.T) {
	for _, test := range []struct {
		name, end, plan string
		kind            repair.Kind
	}{
		{"behind a line", "", "`truncate -s %d`", "zeros"},
		{"behind a part of one", three[:40], "too long", "torn"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWard(t)
			whole := lines(head, one, two)
			path := w.write(name, whole+test.end)
			if err := os.Truncate(path, 60<<30); err != nil {
				t.Fatal(err)
			}
			var read atomic.Int64
			fsys := errorfs.Wrap(vfs.OS(), func(op errorfs.Op) *errorfs.Fault {
				if op.Kind == errorfs.ReadAt {
					read.Add(int64(op.Len))
				}
				return nil
			})
			s, err := session.Open(t.Context(), path, vfs.On(session.Options{ReadOnly: true, Env: w.env}, fsys))
			if err != nil {
				t.Fatal(err)
			}
			if d := defects.Of(s.Damage()); s.Len() != 2 || d.BadCount != 1 || d.Bad[0].Kind != string(test.kind) {
				t.Errorf("%d entries, %v", s.Len(), d)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			doctor := repair.New(vfs.On(repair.Options{Env: w.env, Keeper: w.keeper}, fsys))
			all, err := doctor.Session(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			plan := test.plan
			if strings.Contains(plan, "%d") {
				plan = fmt.Sprintf(plan, len(whole))
			}
			if f := all[0].Findings; len(f) != 1 || f[0].Kind != test.kind || f[0].Line != 4 || f[0].Fixable || !strings.Contains(f[0].Plan, plan) {
				t.Errorf("found %+v", f)
			}
			if n := read.Load(); n > 64<<20 {
				t.Errorf("%d bytes were read", n)
			}
			if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
				t.Errorf("there is %v, %v", left, err)
			}
		})
	}
}
