package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/google/go-cmp/cmp"
)

func TestRecent(t *testing.T) {
	h := newHome(t)
	long := strings.Repeat("x", 5000)
	u := message("a", "user", "first prompt", "")
	h.put(cambium+"w/1_a0000001.jsonl", header("a0000001", "/work/a", `,"title":"A\u0007 title\nsecond line"`), u)
	h.put(omp+"w/2_a0000002.jsonl", `{"type":"title","v":1,"title":"In the slot","updatedAt":"x","pad":""}`, header("a0000002", "/work/b", `,"title":"Header"`), u)
	h.put(xcsh+"w/3_a0000003.jsonl", header("a0000003", "/work/a", ""), message("a", "user", "a prompt of more than forty characters, by far", ""))
	h.put(pi+"w/4_a0000004.jsonl", header("a0000004", "/work/a", fmt.Sprintf(`,"more":%q`, long)), u)                  // a header longer than the prefix
	h.put(pi+"w/5_a0000005.jsonl", header("a0000005", "/work/a", ""), message("a", "user", "begins "+long, ""))        // a prompt longer than it
	h.put(pi+"w/6_a0000006.jsonl", header("a0000006", "/work/a", ""), message("a", "assistant", "unasked", ""))        // no prompt
	h.put(pi+"w/7_a0000007.jsonl", `{"type":"session","id":"a0000007","cwd":"/work`, message("a", "user", "torn", "")) // no header
	h.put(pi+"w/8_none.jsonl", `{"type":"event"}`)
	h.put(pi+"w/9_a0000009.jsonl", header("", "/work/a", ""))
	empty := h.put(pi + "w/empty.jsonl")
	if err := scratch.Mkfifo(filepath.Join(filepath.Dir(empty), "fifo.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	names := func(o catalog.Options) []string {
		var got []string
		for g, err := range catalog.Recent(t.Context(), o) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s %s", g.Agent, g.Name))
		}
		return got
	}
	all := []string{
		"cambium A title", "omp In the slot", "xcsh a prompt of more than forty characters,…", "pi first prompt",
		"pi begins " + strings.Repeat("x", 32) + "…", "pi a0000006", "pi torn", "pi 9_a0000009",
	}
	if diff := cmp.Diff(all, names(h.options())); diff != "" {
		t.Errorf("recent (-want +got):\n%s", diff)
	}
	o := h.options()
	o.CWD = "/work/b"
	if diff := cmp.Diff(all[1:2], names(o)); diff != "" {
		t.Errorf("of one project (-want +got):\n%s", diff)
	}
	fsys := newCounted()
	o = h.options()
	o = vfs.On(o, fsys)
	n := 0
	for range catalog.Recent(t.Context(), o) {
		if n++; n == 3 {
			break
		}
	}
	if got := len(fsys.opened()); got != 3 {
		t.Errorf("for three sessions %d files were opened", got)
	}
}

func TestTimeAgo(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for ago, want := range map[time.Duration]string{
		0: "just now", -time.Hour: "just now", 59 * time.Second: "just now", time.Minute: "1m ago", 59 * time.Minute: "59m ago",
		time.Hour: "1h ago", 23*time.Hour + 59*time.Minute: "23h ago", 24 * time.Hour: "1d ago", 167 * time.Hour: "6d ago",
		7 * 24 * time.Hour: "2026-03-03",
	} {
		if got := catalog.TimeAgo(now.Add(-ago), now); got != want {
			t.Errorf("%v ago: %q, want %q", ago, got, want)
		}
	}
	if got := catalog.TimeAgo(time.Time{}, now); got != "" {
		t.Errorf("no time: %q", got)
	}
}

func TestRecentNamesOfOmp(t *testing.T) {
	h := newHome(t)
	u := message("a", "user", "first prompt", "")
	for n, name := range []string{omp + "w/1_a0000001.jsonl", omp + "w/2_a0000002.jsonl", omp + "w/3_a0000003.jsonl", pi + "w/4_a0000001.jsonl"} {
		h.put(name, header(fmt.Sprintf("b000000%d", n), "/work/a", ""), u)
	}
	asked := 0
	names := func(titles func(context.Context) (map[string]string, error)) (got []string) {
		o := h.options()
		o.Titles = titles
		for g, err := range catalog.Recent(t.Context(), o) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(g.Agent)+" "+g.Name)
		}
		return got
	}
	// By the id in the file's name, and only for omp.
	got := names(func(context.Context) (map[string]string, error) {
		asked++
		return map[string]string{"a0000001": "Named\nbeside", "a0000002": " ", "b0000002": "By the header"}, nil
	})
	want := []string{"omp Named", "omp first prompt", "omp first prompt", "pi first prompt"}
	if diff := cmp.Diff(want, got); diff != "" || asked != 1 {
		t.Errorf("asked %d times (-want +got):\n%s", asked, diff)
	}
	got = names(func(context.Context) (map[string]string, error) { return nil, errors.New("no database") })
	if want[0] = "omp first prompt"; !cmp.Equal(want, got) {
		t.Errorf("without: %q", got)
	}
}
