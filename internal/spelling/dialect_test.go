package spelling_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestByName(t *testing.T) {
	for _, d := range spelling.All() {
		got, ok := spelling.ByName(string(d.Name))
		if !ok || got.Name != d.Name {
			t.Errorf("%q: got %q, %v", d.Name, got.Name, ok)
		}
	}
	if d, ok := spelling.ByName(""); ok {
		t.Errorf("no name: got %q", d.Name)
	}
	a, b := spelling.All(), spelling.All()
	a[2].ForkOrder[0] = "changed"
	a[2].Persist.Drop[0] = "changed"
	if b[2].ForkOrder[0] == "changed" || b[2].Persist.Drop[0] == "changed" {
		t.Error("two callers share one dialect")
	}
}

func TestOf(t *testing.T) {
	slot := &entry.Slot{}
	for _, c := range []struct {
		name  string
		home  dialect.Name
		slot  *entry.Slot
		types string
		want  dialect.Name
	}{
		{"nothing", "", nil, "", dialect.Cambium},
		{"home", dialect.Xcsh, slot, "session_info", dialect.Xcsh},
		{"unknown home", "tau", nil, "session_info", dialect.Pi},
		{"slot", "", slot, "", dialect.Omp},
		{"omp before pi", "", nil, "session_info mcp_tool_selection title_change", dialect.Omp},
		{"credential_pin", "", nil, "credential_pin", dialect.Omp},
		{"model_usage", "", nil, "model_usage", dialect.Omp},
		{"reset_boundary", "", nil, "reset_boundary", dialect.Omp},
		{"pi before xcsh", "", nil, "mcp_tool_selection usage", dialect.Pi},
		{"context_edit", "", nil, "context_edit", dialect.Pi},
		{"model of pi", "", nil, "model_change/provider", dialect.Pi},
		{"model of the others", "", nil, "model_change/model", dialect.Cambium},
		{"xcsh", "", nil, "message mcp_tool_selection", dialect.Xcsh},
		{"shared kinds", "", nil, "message compaction label mode_change ttsr_injection session_init", dialect.Cambium},
	} {
		var lines [][]byte
		for name := range strings.FieldsSeq(c.types) {
			name, member, _ := strings.Cut(name, "/")
			lines = append(lines, fmt.Appendf(nil, `{"type":%q,%q:"x"}`, name, member))
		}
		list, err := entry.NewList(lines)
		if err != nil {
			t.Fatal(err)
		}
		if got := spelling.Of(c.home, list, entry.Header{Slot: c.slot}); got.Name != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got.Name, c.want)
		}
	}
	if got := spelling.Of("", nil, entry.Header{}); got.Name != dialect.Cambium {
		t.Errorf("no list: got %q", got.Name)
	}
}

func TestHeaderVectors(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(spelling.Dialect, spelling.Source, spelling.Fresh) entry.Header
		cwd  string
	}{
		{"xcsh-14", spelling.Dialect.ForkHeader, "/"},
		{"omp-19", spelling.Dialect.ForkHeader, "/"},
		{"omp-18", spelling.Dialect.BranchHeader, "/"},
		{"xcsh-13", spelling.Dialect.BranchHeader, "/"},
		{"pi-19", spelling.Dialect.BranchHeader, "/"},
		{"xcsh-22", spelling.Dialect.ForkFromHeader, "{{dir}}"},
		{"omp-26", spelling.Dialect.ForkFromHeader, "{{dir}}"},
		{"pi-25", spelling.Dialect.ForkFromHeader, "{{dir}}"},
	} {
		v := vector(t, c.name)
		d, _ := spelling.ByName(v.System)
		line, slot := sourceHeader(t, entry.JSON(v.Input))
		h, ok := entry.ParseHeader(line)
		if !ok {
			t.Fatalf("%s: no header in %s", c.name, line)
		}
		h.Slot = slot
		title, source := h.Effective()
		got := c.make(d, spelling.Source{Header: &h, Path: "{{dir}}/s.jsonl", Title: title, TitleSource: source},
			spelling.Fresh{ID: "{{sid:1}}", Timestamp: "{{ts}}", CWD: c.cwd})
		if !contains(entry.JSON(v.Expected), string(got.Raw)) {
			t.Errorf("%s: %s is not in the vector", v.File, got.Raw)
		}
		if got.Version != entry.CurrentVersion || got.ID != "{{sid:1}}" {
			t.Errorf("%s: got %+v", v.File, got)
		}
	}
}

// sourceHeader finds the first header in a vector's input.
func sourceHeader(t *testing.T, input entry.JSON) (line []byte, slot *entry.Slot) {
	t.Helper()
	jsonedit.Walk(input, jsonedit.Visitor{Enter: func(_ *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
		text, ok := jsonedit.String(v)
		if !ok && jsonedit.Kind(v) == jsontext.KindBeginObject {
			text = string(jsonedit.Compact(v))
		}
		if s, ok := spelling.ParseSlot([]byte(text)); ok && slot == nil {
			slot = &s
		}
		if _, ok := entry.ParseHeader([]byte(text)); ok && line == nil {
			line = []byte(text)
		}
		return nil, jsonedit.Into
	}})
	return line, slot
}

// contains reports whether a string anywhere in v is s.
func contains(v entry.JSON, s string) bool {
	found := false
	jsonedit.Walk(v, jsonedit.Visitor{Enter: func(_ *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
		text, _ := jsonedit.String(v)
		found = found || text == s
		return nil, jsonedit.Into
	}})
	return found
}

func TestForkKeepsWhatOmpInherits(t *testing.T) {
	omp, _ := spelling.ByName("omp")
	from := entry.Header{ID: "old", ProviderPromptCacheKey: "key", AdditionalDirectories: []string{"/a", "/new"}}
	src := spelling.Source{Header: &from, Path: "/s/old.jsonl", Title: "T", TitleSource: "user"}
	own := spelling.Fresh{ID: "new", Timestamp: "t", CWD: "/new"}
	for _, c := range []struct{ got, want string }{
		{string(omp.ForkHeader(src, own).Raw),
			`{"type":"session","version":3,"id":"new","title":"T","titleSource":"user","timestamp":"t","cwd":"/new","additionalDirectories":["/a","/new"],"parentSession":"old","providerPromptCacheKey":"key"}`},
		{string(omp.ForkFromHeader(src, own).Raw),
			`{"type":"session","version":3,"id":"new","timestamp":"t","cwd":"/new","parentSession":"old","providerPromptCacheKey":"key","title":"T","titleSource":"user","additionalDirectories":["/a"]}`},
		{string(omp.BranchHeader(src, own).Raw),
			`{"type":"session","version":3,"id":"new","timestamp":"t","cwd":"/new","title":"T","titleSource":"user","parentSession":"/s/old.jsonl","additionalDirectories":["/a","/new"]}`},
	} {
		if c.got != c.want {
			t.Errorf("\n got %s\nwant %s", c.got, c.want)
		}
	}
	if len(from.AdditionalDirectories) != 2 {
		t.Error("the source's header was changed")
	}
}

func TestSanitize(t *testing.T) {
	for _, c := range []struct{ in, pi, others string }{
		{"  two\r\n\nlines ", "two lines", "two lines"},
		{"a\u0007\tb", "a\u0007\tb", "a b"},
		{"a  b", "a  b", "a b"},
		{"a\u0085b\u009f", "a\u0085b\u009f", "a b"},
		{"\ufeff\u00a0x\u2028", "x", "x"},
		{"a\n \nb", "a   b", "a b"},
		{"\u0001", "\u0001", ""},
		{"", "", ""},
	} {
		for _, d := range spelling.All() {
			want := c.others
			if d.Name == dialect.Pi {
				want = c.pi
			}
			if got := d.Sanitize(c.in); got != want {
				t.Errorf("%s: %q: got %q, want %q", d.Name, c.in, got, want)
			}
		}
	}
}

func TestTitleOfOtherPrograms(t *testing.T) {
	list, err := entry.NewList([][]byte{[]byte(`{"type":"session_info","name":"first"}`), []byte(`{"type":"session_info","name":" second "}`)})
	if err != nil {
		t.Fatal(err)
	}
	none := entry.NewIndex()
	for _, c := range []struct {
		dialect string
		header  entry.Header
		list    *entry.List
		want    string
	}{
		{"xcsh", entry.Header{Title: "own"}, list, "own"},
		{"xcsh", entry.Header{}, list, "second"},
		{"omp", entry.Header{Title: "own", Slot: &entry.Slot{}}, list, ""},
		{"pi", entry.Header{Title: "foreign"}, list, "second"},
		{"pi", entry.Header{Title: "foreign"}, &entry.List{Index: none}, "foreign"},
	} {
		d, _ := spelling.ByName(c.dialect)
		if got, _, err := d.Title(&c.header, c.list); err != nil || got != c.want {
			t.Errorf("%s, header %+v: got %q, %v; want %q", c.dialect, c.header, got, err, c.want)
		}
	}
}

func TestSlotIsAlways256Bytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.OneOf(rapid.String(), rapid.StringN(0, 400, -1),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "title")
		source := rapid.SampledFrom([]string{"", "auto", "user", "robot"}).Draw(t, "source")
		updated := rapid.SampledFrom([]string{"2026-01-02T03:04:45.000Z", "", strings.Repeat("\x01", 400)}).Draw(t, "updatedAt")
		slot := spelling.FormatSlot(title, source, updated)
		got, ok := spelling.ParseSlot(slot[:])
		if !ok || got.Len != spelling.SlotLen || slot[255] != '\n' || jsonl.Valid(slot[:]) != nil {
			t.Fatalf("%q is no slot", slot)
		}
		whole, _ := jsonedit.String(jsonedit.Quoted(title))
		if !strings.HasPrefix(whole, got.Title) && !strings.Contains(got.Title, "\ufffd") {
			t.Fatalf("title %q became %q", title, got.Title)
		}
	})
}

func TestParseSlotRefuses(t *testing.T) {
	const good = `{"type":"title","v":1,"title":"t","source":"user","updatedAt":"u","pad":""}`
	if s, ok := spelling.ParseSlot([]byte(good + "\n")); !ok || s.Title != "t" || s.Len != len(good)+1 {
		t.Errorf("good slot: %+v, %v", s, ok)
	}
	for _, c := range [][2]string{
		{`"title","v"`, `"session","v"`}, {`1`, `2`}, {`1`, `"1"`}, {`"t"`, `7`}, {`"user"`, `"robot"`}, {`"user"`, `null`},
		{`"u"`, `1`}, {`"pad":""`, `"pad":1`}, {`"pad":""`, `"x":""`}, {`}`, ``},
	} {
		if line := strings.Replace(good, c[0], c[1], 1); line != good {
			if _, ok := spelling.ParseSlot([]byte(line)); ok {
				t.Errorf("%s is taken for a slot", line)
			}
		}
	}
}

func TestMigrateIDs(t *testing.T) {
	lines := [][]byte{[]byte(`{"type":"session","id":"s"}`)}
	for range 3000 {
		lines = append(lines, []byte(`{"type":"message","id":"mine","message":{"role":"user"}}`))
	}
	first, list := migrated(t, lines)
	again, _ := migrated(t, lines)
	if d := cmp.Diff(first, again); d != "" {
		t.Errorf("two readings differ:\n%s", d)
	}
	seen := map[string]bool{}
	for i := range list.Len() {
		id, _ := list.ID(i)
		parent, has := list.ParentID(i)
		if before, _ := list.ID(max(i-1, 0)); i > 0 && parent != before || has != (i > 0) || seen[id] || len(id) != 8 {
			t.Fatalf("entry %d: id %q, parent %q", i, id, parent)
		}
		seen[id] = true
	}
	// SHA-256 of "s", LF, "2".
	if id, _ := list.ID(0); id != sum("s\n2")[:8] {
		t.Errorf("first id %q", id)
	}
}

func TestMigrateIDOfGluedEntries(t *testing.T) {
	x := entry.NewIndex()
	raw := [][]byte{[]byte(`{"type":"a"}`), []byte(`{"type":"b"}`)}
	for range raw {
		x.Add(&entry.Envelope{Time: entry.NoTime}, entry.At{Line: 2})
	}
	if _, err := spelling.Migrate(x, entry.Header{ID: "s", Version: 1}, func(i int) ([]byte, error) { return raw[i], nil }); err != nil {
		t.Fatal(err)
	}
	a, _ := x.ID(0)
	b, _ := x.ID(1)
	if hash := sum("s\n2"); a != hash[:8] || b != hash[8:16] {
		t.Errorf("got %q and %q, want the first and second 8 digits of %s", a, b, hash)
	}
}

func TestMigrateFirstKept(t *testing.T) {
	for _, c := range []struct{ index, want string }{
		{`1`, `"firstKeptEntryId":"ID0"}`},
		{`2`, `"firstKeptEntryId":"ID1"}`},
		{`3`, `"firstKeptEntryId":"later"}`},
		{`4`, `,"parentId":"ID0"}`},
		{`0`, `,"parentId":"ID0"}`},
		{`1.5`, `,"parentId":"ID0"}`},
		{`1e300`, `,"parentId":"ID0"}`},
		{`-1e300`, `,"parentId":"ID0"}`},
		{`5`, `,"parentId":"ID0"}`},
		{`"1"`, `,"parentId":"ID0"}`},
	} {
		lines := [][]byte{
			[]byte(`{"type":"session","id":"s"}`), []byte(`{"type":"x"}`),
			[]byte(`{"type":"compaction","firstKeptEntryIndex":` + c.index + `}`),
			[]byte(`{"type":"x","id":"later"}`), []byte(`{"type":"x"}`),
		}
		got, list := migrated(t, lines)
		want := c.want
		for i := range 2 {
			id, _ := list.ID(i)
			want = strings.Replace(want, fmt.Sprint("ID", i), id, 1)
		}
		if kept := strings.Contains(got[2], "firstKeptEntryIndex"); !strings.HasSuffix(got[2], want) || kept != (c.index == `"1"`) {
			t.Errorf("index %s: got %s, want an end of %s", c.index, got[2], want)
		}
	}
}

func TestMigrateOnlyWhatIsOld(t *testing.T) {
	hook := `{"type":"message","message":{ "role":"hookMessage"},"id":"b","parentId":"x"}`
	for _, c := range []struct{ version, header, want string }{
		{`2`, `3`, strings.Replace(hook, "hookMessage", "custom", 1)},
		{`"2"`, `3`, strings.Replace(hook, "hookMessage", "custom", 1)},
		{`3`, `3`, hook}, {`4`, `4`, hook}, {`"abc"`, `"abc"`, hook},
	} {
		got, _ := migrated(t, [][]byte{[]byte(`{"type":"session","version":` + c.version + `,"id":"s"}`), []byte(hook)})
		if want := `{"type":"session","version":` + c.header + `,"id":"s"}`; got[0] != want || got[1] != c.want {
			t.Errorf("version %s: got %s\n%s", c.version, got[0], got[1])
		}
	}
}

func TestMigrateSaysWhatCouldNotBeRead(t *testing.T) {
	x := entry.NewIndex()
	x.Add(&entry.Envelope{Kind: entry.Compaction}, entry.At{Line: 7})
	_, err := spelling.Migrate(x, entry.Header{Version: 1}, func(int) ([]byte, error) { return nil, fmt.Errorf("gone") })
	if err == nil || err.Error() != "migrate line 7: gone" {
		t.Errorf("got %v", err)
	}
}

func TestBodies(t *testing.T) {
	id := "left"
	pi, _ := spelling.ByName("pi")
	omp, _ := spelling.ByName("omp")
	for _, c := range []struct {
		body entry.Body
		want string
	}{
		{pi.EditBody("t", nil), `{"type":"context_edit",BASE,"targetId":"t","replacement":null}`},
		{omp.EditBody("t", nil), `{"type":"custom","customType":"cambium.edit","data":{"targetId":"t","replacement":null},BASE}`},
		{omp.EditBody("t", entry.JSON(`{"content":"x"}`)), `{"type":"custom","customType":"cambium.edit","data":{"targetId":"t","replacement":{"content":"x"}},BASE}`},
		{spelling.LeafBody(&id), `{"type":"custom","customType":"cambium.leaf","data":{"from":"left"},BASE}`},
		{spelling.LeafBody(nil), `{"type":"custom","customType":"cambium.leaf","data":{"from":null},BASE}`},
		{pi.ModelBody("p", "m", "smol"), `{"type":"model_change",BASE,"provider":"p","modelId":"m"}`},
		{spelling.Complete(omp, "b", omp.ModelBody("p", "m", "")), `{"type":"model_change",BASE,"model":"p/m","resolvedModelIsFallback":false}`},
		{spelling.Complete(omp, "b", &entry.ThinkingLevelChangeBody{}), `{"type":"thinking_level_change",BASE,"thinkingLevel":null,"configured":null}`},
		{spelling.Complete(pi, "b", &entry.CompactionBody{Summary: "S"}), `{"type":"compaction",BASE,"summary":"S","firstKeptEntryId":"b","tokensBefore":0}`},
	} {
		line, err := entry.Encode(nil, entry.Stamp{ID: "b", Time: 0}, c.body)
		want := strings.Replace(c.want, "BASE", `"id":"b","parentId":null,"timestamp":"1970-01-01T00:00:00.000Z"`, 1)
		if err != nil || string(line) != want {
			t.Errorf("\n got %s, %v\nwant %s", line, err, want)
		}
	}
}

func TestComplete(t *testing.T) {
	const zeros = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
	const full = `{"role":"assistant","usage":` + zeros + `}`
	for _, c := range []struct{ in, want string }{
		{`{"role":"assistant"}`, full},
		{`{"role":"assistant","usage":null}`, full},
		{full, full},
		{`{"role":"assistant","usage":{"output":7,"input":null,"x":1}}`,
			`{"role":"assistant","usage":{"output":7,"input":0,"x":1,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}}`},
		{`{"role":"user"}`, `{"role":"user"}`},
	} {
		for _, name := range []string{"omp", "xcsh"} {
			d, _ := spelling.ByName(name)
			body := &entry.MessageBody{Message: entry.JSON(c.in)}
			got := spelling.Complete(d, "b", body).(*entry.MessageBody)
			if string(got.Message) != c.want || string(body.Message) != c.in {
				t.Errorf("%s: %s:\n got %s\nwant %s", name, c.in, got.Message, c.want)
			}
			given, err := entry.ParseBody([]byte(`{"type":"message","message":` + c.in + `,"x":1}`))
			if err != nil {
				t.Fatal(err)
			}
			verbatim := spelling.Complete(d, "b", given).(*entry.Verbatim)
			if want := `{"message":` + c.want + `,"x":1}`; string(verbatim.Members) != want {
				t.Errorf("%s: verbatim:\n got %s\nwant %s", name, verbatim.Members, want)
			}
		}
	}
	pi, _ := spelling.ByName("pi")
	body := &entry.MessageBody{Message: entry.JSON(`{"role":"assistant"}`)}
	if got := spelling.Complete(pi, "b", body); got != entry.Body(body) {
		t.Errorf("pi: got %v", got)
	}
}
