package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/google/go-cmp/cmp"
)

// TestRows: rows are what a scan tells, newest first, without an index, with one
// that is filled meanwhile and with one that is filled; of times that no record
// can say, too.
func TestRows(t *testing.T) {
	h := newHome(t)
	for i := range 300 {
		at := fmt.Sprintf("20%02d-01-02T03:04:05.000Z", i%90)
		if i%50 == 7 {
			at = "9999-01-02T03:04:05.000Z"
		}
		id := fmt.Sprintf("%08x", i)
		h.put(fmt.Sprintf("%s--%d--/%d_%s.jsonl", []string{pi, omp, xcsh, cambium}[i%4], i%11, i, id),
			fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":%q,"cwd":"/work/%d"}`, id, at, i%3),
			fmt.Sprintf(`{"type":"message","id":"a","parentId":null,"timestamp":%q,"message":{"role":"user","content":"question %d"}}`, at, i))
	}
	for _, home := range []string{pi, omp, xcsh, cambium} {
		if err := os.MkdirAll(filepath.Join(h.dir, home, "--5--"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(h.dir, home, "--5--", ".lock"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x := index.New(index.Options{Dir: scratch.OwnDir(t), Report: func(err error) { t.Error(err) }})
	t.Cleanup(func() { _ = x.Close() })
	for _, cwd := range []string{"", "/work/1"} {
		var want []catalog.Info
		plain := h.options()
		plain.CWD = cwd
		for info, err := range catalog.Scan(t.Context(), plain) {
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, info)
		}
		slices.SortStableFunc(want, func(a, b catalog.Info) int { return b.Modified.Compare(a.Modified) })
		if len(want) < 100 {
			t.Fatalf("%d sessions", len(want))
		}
		known := plain
		known.Index, known.Trouble = x, func(err error) { t.Error(err) }
		for name, o := range map[string]catalog.Options{"none": plain, "filled now": known, "filled": known} {
			rows, err := catalog.ReadRows(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			got := slices.Collect(rows.All())
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			for n := range rows.Len() {
				info, err := os.Stat(rows.Info(n).Path)
				if err != nil {
					t.Fatal(err)
				}
				seen, ok := rows.State(n)
				if hidden := strings.Contains(rows.Info(n).Path, "--5--"); ok && (seen.Beside != hidden || seen.Ino == 0 || seen.Size != info.Size() || seen.ModTime != info.ModTime().UnixNano()) {
					t.Errorf("%s, %s: seen %+v", name, rows.Info(n).Path, seen)
				}
				if !ok && rows.Info(n).Created.Year() < 9999 {
					t.Errorf("%s: nothing seen of %s", name, rows.Info(n).Path)
				}
			}
			for n := range got { // who stops early gets no more
				count := 0
				for range rows.All() {
					if count++; count > n {
						break
					}
				}
				if n > 3 && n < len(got)-3 {
					continue
				}
				if count != n+1 {
					t.Errorf("%s: %d of %d", name, count, n+1)
				}
			}
		}
	}
}

// TestRowsOfVanishingFiles: what is deleted while it is listed is a row that says
// so, or none; what stays is told as it is, and the index forgets what went.
func TestRowsOfVanishingFiles(t *testing.T) {
	h := newHome(t)
	var names []string
	for i := range 200 {
		id := fmt.Sprintf("%08x", i)
		names = append(names, h.put(fmt.Sprintf("%s--a--/%d_%s.jsonl", pi, i, id), header(id, "/work", ""), message("a", "user", "q", "")))
	}
	x := index.New(index.Options{Dir: scratch.OwnDir(t)})
	t.Cleanup(func() { _ = x.Close() })
	o := h.options()
	o.Index = x
	if all, err := catalog.List(t.Context(), o); err != nil || len(all) != 200 {
		t.Fatalf("%d sessions, %v", len(all), err)
	}
	begun := false
	o.Progress = func(int, int) {
		if !begun {
			begun = true
			for i, name := range names {
				if i%2 == 0 {
					_ = os.Remove(name) // the rows tell
				}
			}
		}
	}
	rows, err := catalog.ReadRows(t.Context(), o)
	if err != nil || rows.Len() != 200 { // they were found, and are known
		t.Errorf("%d rows, %v", rows.Len(), err)
	}
	o.Progress = nil
	rows, err = catalog.ReadRows(t.Context(), o)
	if err != nil || rows.Len() != 100 || !rows.Info(0).Modified.After(time.Unix(0, 0)) {
		t.Errorf("%d rows, %v", rows.Len(), err)
	}
	n := 0
	for _, err := range x.Known(t.Context()) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != 100 {
		t.Errorf("the index knows %d", n)
	}
}
