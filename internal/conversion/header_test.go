package conversion_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/session"
)

func fresh() spelling.Fresh {
	return spelling.Fresh{ID: "new", Timestamp: "2026-06-01T00:00:00.000Z", CWD: "/elsewhere"}
}

// TestNewHeader: a new session has the header that a fork of the target has.
func TestNewHeader(t *testing.T) {
	hello := `message "message":{"role":"user","content":"hello","timestamp":1}`
	for _, c := range []struct {
		from, to string
		add      string // to the source's header
		bodies   []string
		want     string
	}{
		{"pi", "xcsh", `"x":[1]`, []string{hello, `session_info "name":"N"`},
			`{"type":"session","version":3,"id":"new","timestamp":"2026-06-01T00:00:00.000Z","cwd":"/elsewhere","parentSession":"s1","title":"N","titleSource":"user","x":[1],"cambium":{"agent":"xcsh"}}`},
		{"omp", "pi", `"title":"T","titleSource":"auto","additionalDirectories":["/a"]`, []string{hello},
			`{"type":"session","version":3,"id":"new","timestamp":"2026-06-01T00:00:00.000Z","cwd":"/elsewhere","parentSession":"/s.jsonl","cambium":{"agent":"pi"}}`},
		{"xcsh", "omp", `"title":"T","titleSource":"auto"`, []string{hello},
			`{"type":"session","version":3,"id":"new","timestamp":"2026-06-01T00:00:00.000Z","cwd":"/elsewhere","parentSession":"s1","providerPromptCacheKey":"s1","title":"T","titleSource":"auto","cambium":{"agent":"omp"}}`},
		{"omp", "omp", `"title":"T","titleSource":"auto"`, []string{hello},
			`{"type":"session","version":3,"id":"new","timestamp":"2026-06-01T00:00:00.000Z","cwd":"/elsewhere","parentSession":"s1","providerPromptCacheKey":"s1","title":"T","titleSource":"auto"}`},
	} {
		t.Run(c.from+" to "+c.to, func(t *testing.T) {
			f := entries(c.from, c.bodies...)
			f.data = []byte(strings.Replace(string(f.data), `"cwd":"/work"`, `"cwd":"/work",`+c.add, 1))
			out, _ := f.to(t, dialect.Name(c.to), fresh())
			h, _, _ := out.parse(t)
			if string(h.Raw) != c.want {
				t.Errorf("header\n%s\nwant\n%s", h.Raw, c.want)
			}
		})
	}
}

// TestTitles: what a session is called goes with it, and so does what it is
// called anew.
func TestTitles(t *testing.T) {
	slot := spelling.FormatSlot("In the slot", "user", "2026-01-02T03:04:05.000Z")
	f := entries("omp", `message "message":{"role":"user","content":"hello","timestamp":1}`)
	f.data = append(slot[:], f.data...)
	abroad, report := f.to(t, dialect.Pi, fresh())
	if title, _, err := title(t, abroad); err != nil || title != "In the slot" || report.Added != 2 {
		t.Errorf("in pi it is called %q, %v; %d entries added", title, err, report.Added)
	}
	home, _ := abroad.to(t, dialect.Omp, spelling.Fresh{})
	if !strings.HasPrefix(string(home.data), string(slot[:])) {
		t.Errorf("it comes home without its slot: %.300s", home.data)
	}
	_, list, _ := abroad.parse(t)
	last, _ := list.ID(list.Len() - 1)
	abroad.data = append(abroad.data, `{"type":"session_info","id":"n1","parentId":"`+last+`","timestamp":"2026-01-02T03:04:09.000Z","name":"Called anew"}`+"\n"...)
	home, _ = abroad.to(t, dialect.Omp, spelling.Fresh{})
	if title, source, err := title(t, home); title != "Called anew" || source != "user" || err != nil {
		t.Errorf("it comes home as %q of %q, %v", title, source, err)
	}
	h, _, _ := home.parse(t)
	if h.Slot == nil || h.Slot.Len != spelling.SlotLen {
		t.Errorf("slot = %v", h.Slot)
	}
}

func title(t *testing.T, f file) (string, string, error) {
	t.Helper()
	h, list, _ := f.parse(t)
	return f.rules.Title(&h, list)
}

// TestCopy: to its own dialect a session goes as it is.
func TestCopy(t *testing.T) {
	f := entries("xcsh", `message "message":{"role":"user","content":"hello","timestamp":1}`, `session_info "name":"N"`)
	out, report := f.to(t, dialect.Xcsh, spelling.Fresh{})
	h, _, _ := f.parse(t)
	g, _, _ := out.parse(t)
	if len(report.Items) != 0 || report.Added != 0 || string(out.lines(t)[0]) != string(f.lines(t)[0]) {
		t.Errorf("report = %+v", report)
	}
	if before, after := jsonedit.Delete(h.Raw, "title", "titleSource"), jsonedit.Delete(g.Raw, "title", "titleSource"); string(before) != string(after) {
		t.Errorf("header = %s", g.Raw)
	}
}

// TestNoise: records that nobody wrote do no harm.
func TestNoise(t *testing.T) {
	for _, own := range []string{
		`null`, `1`, `{}`, `{"converted":{}}`, `{"converted":{"from":"pi"}}`, `{"converted":{"from":"who","was":[]}}`,
		`{"converted":{"from":"pi","was":[{}]}}`, `{"converted":{"from":"pi","was":[{"path":["message",3,"x"],"value":1},{"path":[],"value":2}]}}`,
		`{"converted":{"from":"pi","was":[{"path":["message"],"cut":-3},{"path":["message","content"],"inline":true}]}}`,
		`{"converted":{"from":"pi","whole":7}}`, `{"agent":"nobody"}`,
	} {
		f := entries("xcsh", `message "message":{"role":"user","content":"hello","timestamp":1},"cambium":`+own)
		out, _ := f.to(t, dialect.Omp, spelling.Fresh{})
		if _, err := entry.Parse(out.lines(t)[0]); err != nil {
			t.Errorf("%s: %v", own, err)
		}
	}
	for _, data := range []string{`null`, `{}`, `{"to":"xcsh"}`, `{"to":"xcsh","agent":"pi","header":{}}`, `{"to":"xcsh","agent":"pi","header":` + head + `,"runs":[1,{"agent":"pi","last":3},{"agent":"who","last":"e0"}],"slot":5}`} {
		f := entries("xcsh", `message "message":{"role":"user","content":"hello","timestamp":1}`, `custom "customType":"cambium.converted","data":`+data)
		for _, to := range spelling.All() {
			out, _ := f.to(t, to.Name, spelling.Fresh{})
			out.parse(t)
		}
	}
}

// TestSeveralLines: an object that stands on several lines becomes one.
func TestSeveralLines(t *testing.T) {
	f := entries("omp")
	f.data = append(f.data, "{\"type\":\"message\",\n \"id\":\"a\",\"parentId\":null,\"timestamp\":\"2026-01-02T03:04:06.000Z\",\n \"message\":{\"role\":\"user\",\"content\":\"x\"}}\n"...)
	for _, to := range spelling.All() {
		out, _ := f.to(t, to.Name, spelling.Fresh{})
		_, list, damage, err := session.ParseEntries(out.data)
		if err != nil || damage.Any() || list.Kind(0) != entry.Message || strings.Contains(string(out.lines(t)[0]), "\n") {
			t.Errorf("to %s: %v, %v\n%s", to.Name, err, damage, out.data)
		}
	}
}
