package spelling_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/vectors"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// blobs is a blob store in memory. files are the names that a directory of
// blobs would have.
type blobs struct {
	data  map[string][]byte
	files []string
}

func (b *blobs) put(data []byte, ext string) (string, error) {
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:])
	if b.data == nil {
		b.data = map[string][]byte{}
	}
	b.data["blob:sha256:"+name] = bytes.Clone(data)
	for _, file := range []string{name, name + "." + ext} {
		if !slices.Contains(b.files, file) && !strings.HasSuffix(file, ".") {
			b.files = append(b.files, file)
		}
	}
	slices.Sort(b.files)
	return "blob:sha256:" + name, nil
}

func (b *blobs) get(ref string) ([]byte, error) {
	data, ok := b.data[ref]
	if !ok {
		return nil, errors.New("no such blob")
	}
	return data, nil
}

func rules(t *testing.T, name string) spelling.Persist {
	t.Helper()
	d, ok := spelling.ByName(name)
	if !ok {
		t.Fatalf("no dialect %q", name)
	}
	return d.Persist
}

// prepare prepares a line and checks what holds for every line.
func prepare(t *testing.T, line string, p spelling.Persist, put spelling.Put) string {
	t.Helper()
	before := strings.Clone(line)
	out, changed, err := spelling.Prepare([]byte(line), p, put)
	if err != nil {
		t.Fatal(err)
	}
	if changed == (string(out) == before) {
		t.Errorf("changed is %v for %.200s", changed, out)
	}
	if err := jsonl.Valid(out); err != nil {
		t.Errorf("%v in %.200s", err, out)
	}
	again, changed, err := spelling.Prepare(out, p, put)
	if err != nil || changed {
		t.Errorf("prepared twice: %v, %.300s", err, again)
	}
	return string(out)
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

func TestTruncationVector(t *testing.T) {
	v := vector(t, "xcsh-19")
	input, _ := jsonedit.Get(v.Input, "userMessageContent")
	for _, name := range []string{"xcsh", "omp", "cambium"} {
		for key, spec := range jsonedit.Members(input) {
			text, _ := jsonedit.String(vectors.Expand(spec))
			var store blobs
			out := prepare(t, `{"type":"message","message":{"role":"user","content":`+string(jsonedit.Quoted(text))+`}}`, rules(t, name), store.put)
			got, _ := jsonedit.Path([]byte(out), "message", "content")
			cut, _ := jsonedit.String(got)
			units, _ := jsonedit.Path(v.Expected, key, "utf16Length")
			hash, _ := jsonedit.Path(v.Expected, key, "sha256")
			want, _ := jsonedit.String(hash)
			if fmt.Sprint(jsonedit.Units(cut)) != string(units) || sum(cut) != want {
				t.Errorf("%s: %s: %d units with hash %s, want %s and %s", name, key, jsonedit.Units(cut), sum(cut), units, want)
			}
			cuts := spelling.Cuts([]byte(out))
			if strings.HasSuffix(cut, spelling.Notice) != (len(cuts) == 1) {
				t.Errorf("%s: %s: cuts are %v", name, key, cuts)
				continue
			}
			for _, c := range cuts {
				if d := cmp.Diff([]string{"message", "content"}, c.Path); d != "" || string(store.data[c.Ref]) != text {
					t.Errorf("%s: %s: whole text under %v is not the text given", name, key, c)
				}
			}
		}
	}
	long := strings.Repeat("s", 500_001)
	line := `{"type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinking":"x","thinkingSignature":"` + long + `"}]}}`
	var store blobs
	out := prepare(t, line, rules(t, "xcsh"), store.put)
	if !strings.Contains(out, `"thinkingSignature":""}]}`) || len(spelling.Cuts([]byte(out))) != 1 {
		t.Errorf("xcsh: signature became %.200s", out)
	}
	if out := prepare(t, line, rules(t, "omp"), store.put); out != line {
		t.Errorf("omp: signature became %.200s", out)
	}
	if out := prepare(t, line, rules(t, "pi"), store.put); out != line {
		t.Errorf("pi: signature became %.200s", out)
	}
}

func TestTransientFieldsVector(t *testing.T) {
	v := vector(t, "xcsh-18")
	for _, name := range []string{"xcsh", "cambium"} {
		var given entry.JSON
		steps, _ := jsonedit.Get(v.Args, "steps")
		for step := range jsonedit.Elements(steps) {
			for arg := range jsonedit.Elements(step) {
				if jsonedit.Kind(arg) == jsontext.KindBeginObject {
					given = jsonedit.Compact(arg)
				}
			}
		}
		lines := texts(result(t, v, 3))
		want := lines[2]
		start := strings.Index(want, `"message":`) + len(`"message":`)
		head := want[:start]
		got := prepare(t, head+string(given)+"}", rules(t, name), new(blobs).put)
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

func TestImageVectors(t *testing.T) {
	v := vector(t, "xcsh-20")
	message, _ := jsonedit.Get(v.Input, "message")
	message = vectors.Expand(message)
	line := `{"type":"message","message":` + string(message) + `}`
	for _, name := range []string{"xcsh", "cambium"} {
		var store blobs
		out := prepare(t, line, rules(t, name), store.put)
		got, _ := jsonedit.Get([]byte(out), "message")
		want, _ := jsonedit.Get(v.Expected, "persisted")
		if d := cmp.Diff(string(jsonedit.Compact(want)), string(described(got))); d != "" {
			t.Errorf("%s: persisted (-want +got):\n%s", name, d)
		}
		var files []string
		list, _ := jsonedit.Get(v.Expected, "blobs")
		for b := range jsonedit.Elements(list) {
			file, _ := jsonedit.Text(b, "name")
			size, _ := jsonedit.Get(b, "size")
			files = append(files, file)
			if fmt.Sprint(len(store.data["blob:sha256:"+file])) != string(size) {
				t.Errorf("%s: blob %s has %d bytes, want %s", name, file, len(store.data["blob:sha256:"+file]), size)
			}
		}
		if d := cmp.Diff(files, store.files); d != "" {
			t.Errorf("%s: blobs (-want +got):\n%s", name, d)
		}
		back, missing, err := spelling.Resolve([]byte(out), rules(t, name), store.get)
		if err != nil || missing != nil || string(back) != line {
			t.Errorf("%s: read again: %v, %v, %.300s", name, missing, err, back)
		}
		lost, missing, err := spelling.Resolve([]byte(out), rules(t, name), nil)
		if err != nil || string(lost) != out || len(missing) != 3 {
			t.Errorf("%s: without blobs: %v, %v, %.300s", name, missing, err, lost)
		}
	}
}

// described replaces long strings as the vectors do, by length and hash or end.
func described(v entry.JSON) entry.JSON {
	return jsonedit.Walk(v, jsonedit.Visitor{Enter: func(at *jsonedit.Step, v []byte) ([]byte, jsonedit.Action) {
		s, ok := jsonedit.String(v)
		if !ok || len(s) < 1000 {
			return nil, jsonedit.Into
		}
		var o jsonedit.Object
		o.Int("length", int64(jsonedit.Units(s)))
		if at.Key == "thinking" {
			return o.Bool("endsWithNotice", strings.HasSuffix(s, spelling.Notice)).Value(), jsonedit.Keep
		}
		return o.String("sha256", sum(s)).Value(), jsonedit.Keep
	}})
}

func TestLimitsVector(t *testing.T) {
	v := vector(t, "omp-30")
	given, _ := jsonedit.Get(v.Input, "entry")
	given = vectors.Expand(given)
	var store blobs
	out := prepare(t, string(given), rules(t, "omp"), store.put)
	cuts := spelling.Cuts([]byte(out))
	want, _ := jsonedit.Get(v.Expected, "persisted")
	got := described(jsonedit.Delete([]byte(out), "cambium"))
	if d := cmp.Diff(string(jsonedit.Compact(want)), string(got)); d != "" {
		t.Errorf("persisted (-want +got):\n%s", d)
	}
	wantCut := []string{"message", "content", "1", "thinking"}
	if len(cuts) != 1 || cmp.Diff(wantCut, cuts[0].Path) != "" {
		t.Fatalf("cuts: got %v, want %v", cuts, wantCut)
	}
	files, _ := jsonedit.Get(v.Expected, "blobFiles")
	wantFiles := append(texts(files), cuts[0].Ref[len("blob:sha256:"):])
	slices.Sort(wantFiles)
	if d := cmp.Diff(wantFiles, store.files); d != "" {
		t.Errorf("blobs (-want +got):\n%s", d)
	}
	back, missing, err := spelling.Resolve([]byte(out), rules(t, "omp"), store.get)
	if err != nil || missing != nil || bytes.Contains(jsonedit.Delete(back, "cambium"), []byte("blob:sha256:")) {
		t.Errorf("read again: %v, %v", missing, err)
	}
	ok, _ := jsonedit.Text(v.Expected, "okRef")
	if !spelling.IsRef("blob:sha256:"+ok) || spelling.IsRef("blob:sha256:../"+ok[3:]) || spelling.IsRef("blob:sha256:"+strings.ToUpper(ok)) || spelling.IsRef(ok) {
		t.Errorf("references are not told from other text")
	}
}

func TestPrepare(t *testing.T) {
	const n = 1024
	image := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 768))
	ref := "blob:sha256:f99a6f242ce3ab55081cbe28632bd062f470ad843d3dfa100908d35697d9dd6b"
	payload := `"providerPayload":{"type":"openaiResponsesHistory","items":[{"type":"reasoning","encrypted_content":"E"},{"type":"reasoning","id":"R"}]}`
	signed := func(signature string) string {
		return `{"type":"thinking","thinking":"t","thinkingSignature":` + string(jsonedit.Quoted(signature)) + `}`
	}
	message := func(content string) string {
		return `{"type":"message","message":{"role":"assistant","content":[` + content + `],` + payload + `}}`
	}
	for _, c := range []struct {
		name, dialect, in, want string
	}{
		{"image in details.content", "xcsh", `{"details":{"content":[{"type":"image","data":"` + image + `"}]}}`,
			`{"details":{"content":[{"type":"image","data":"` + ref + `"}]}}`},
		{"image that is content", "xcsh", `{"content":{"type":"image","data":"` + image + `"}}`, ""},
		{"image that is content", "omp", `{"content":{"type":"image","data":"` + image + `"}}`,
			`{"content":{"type":"image","data":"` + ref + `"}}`},
		{"frames", "omp", `{"frames":{"data":"` + image + `","mimeType":"IMAGE/PNG"}}`, `{"frames":{"data":"` + ref + `","mimeType":"IMAGE/PNG"}}`},
		{"frames", "xcsh", `{"frames":{"data":"` + image + `","mimeType":"image/png"}}`, ""},
		{"base64 of URLs", "xcsh", `{"content":[{"type":"image","data":"` + strings.ReplaceAll(base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{255}, n)), "/", "_") + `"}]}`,
			`{"content":[{"type":"image","data":"blob:sha256:` + sum(strings.Repeat("\xff", n)) + `"}]}`},
		{"not base64", "xcsh", `{"content":[{"type":"image","data":"https://` + strings.Repeat("x", n) + `"}]}`, ""},
		{"already a reference", "xcsh", `{"content":[{"type":"image","data":"blob:sha256:` + strings.Repeat("x", n) + `"}]}`, ""},
		{"pi", "pi", `{"content":[{"type":"image","data":"` + image + `"}],"partialJson":1,"image_url":"data:image/png;base64,AAAA"}`, ""},
		{"omp keeps partialJson", "omp", `{"partialJson":1,"jsonlEvents":2}`, `{"partialJson":1}`},
		{"blanks and order stay", "xcsh", `{ "b":1.0, "partialJson" : 1 , "a":"\u0061" }`, `{ "b":1.0 , "a":"\u0061" }`},
		{"lineCount without text", "xcsh", `{"content":1,"lineCount":5,"partialJson":1}`, `{"content":1,"lineCount":5}`},
		{"covered by content", "omp", message(signed(`{"type":"reasoning","encrypted_content":"E"}`)), message(`{"type":"thinking","thinking":"t"}`)},
		{"covered by id", "omp", message(signed(`{"type":"reasoning","id":"R"}`)), message(`{"type":"thinking","thinking":"t"}`)},
		{"not covered", "omp", message(signed(`{"type":"reasoning","encrypted_content":"F","id":"R"}`) + `,` + signed("opaque")), ""},
		{"covered, xcsh", "xcsh", message(signed(`{"type":"reasoning","id":"R"}`)), ""},
	} {
		var store blobs
		want := c.want
		if want == "" {
			want = c.in
		}
		if got := prepare(t, c.in, rules(t, c.dialect), store.put); got != want {
			t.Errorf("%s, %s:\n got %.400s\nwant %.400s", c.name, c.dialect, got, want)
		}
	}
}

// The lines of a text that was cut are counted again, wherever the number stands, and
// however deep.
func TestLinesAreCountedAgain(t *testing.T) {
	line := strings.Repeat("\\n", 3) + strings.Repeat("x", 500_001)
	notice := strings.Count(spelling.Notice, "\n")
	const levels = 2000
	for _, c := range []struct{ name, in, count string }{
		{"before", `{"lineCount":9,"content":"` + line + `"}`, fmt.Sprint(4 + notice)},
		{"behind", `{"content":"` + line + `","lineCount":9}`, fmt.Sprint(4 + notice)},
		{"no text", `{"content":1,"lineCount":9,"a":"` + line + `"}`, "9"},
		{"another text", `{"content":"a\nb","lineCount":9,"a":"` + line + `"}`, "2"},
		{"deep", strings.Repeat(`{"lineCount":9,"content":"","a":`, levels) + `"` + line + `"` + strings.Repeat("}", levels), "1"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		out := prepare(t, c.in, rules(t, "omp"), new(blobs).put)
		runtime.ReadMemStats(&after)
		if all, want := strings.Count(out, `"lineCount"`), strings.Count(out, `"lineCount":`+c.count); want == 0 || want != all || !strings.Contains(out, "full") {
			t.Errorf("%s: %d of %d counts are %s: %.200s", c.name, want, all, c.count, out)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
			t.Errorf("%s: %d MiB for a line of %d KiB", c.name, took>>20, len(c.in)>>10)
		}
	}
}

func TestSealedBlocksStayWhole(t *testing.T) {
	long := strings.Repeat("x", 500_001)
	for _, block := range []string{
		`{"type":"text","text":"` + long + `","textSignature":"s"}`,
		`{"type":"toolCall","arguments":{"a":"` + long + `","jsonlEvents":1},"thoughtSignature":"s"}`,
		`{"type":"redactedThinking","data":"` + long + `"}`,
		`{"type":"reasoning","encrypted_content":"` + long + `"}`,
		`{"type":"anthropicServerTool","block":{"type":"web_search_tool_result","tool_use_id":"i","content":"` + long + `"}}`,
		`{"type":"anthropicServerTool","block":{"type":"server_tool_use","name":"web_search","id":"i","input":"` + long + `"}}`,
		`{"type":"anthropicCompaction","x":"` + long + `"}`,
		`{"anthropicCompaction":{"content":"` + long + `"}}`,
	} {
		line := `{"message":{"content":[` + block + `]}}`
		if out := prepare(t, line, rules(t, "omp"), new(blobs).put); out != line {
			t.Errorf("%.90s… was changed to %.120s…", block, out)
		}
		if out := prepare(t, line, rules(t, "xcsh"), new(blobs).put); out == line {
			t.Errorf("xcsh kept %.90s…", block)
		}
	}
	for _, block := range []string{
		`{"type":"text","text":"` + long + `","textSignature":""}`,
		`{"type":"anthropicServerTool","block":{"type":"server_tool_use","name":"bash","id":"i","input":"` + long + `"}}`,
		`{"type":"anthropicServerTool","block":{"type":"web_search_tool_result","content":"` + long + `"}}`,
	} {
		line := `{"message":{"content":[` + block + `]}}`
		if out := prepare(t, line, rules(t, "omp"), new(blobs).put); out == line {
			t.Errorf("%.90s… was kept", block)
		}
	}
}

func TestNothingIsTakenOutThatIsNotKept(t *testing.T) {
	image := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 768))
	line := `{"partialJson":1,"text":"` + strings.Repeat("é", 600_000) + `","image_url":"data:image/png;base64,AA==","content":[{"type":"image","data":"` + image + `"}]}`
	want := strings.Replace(line, `"partialJson":1,`, "", 1)
	fails := func([]byte, string) (string, error) { return "", errors.New("disk full") }
	for _, put := range []spelling.Put{nil, fails} {
		if got := prepare(t, line, rules(t, "xcsh"), put); got != want {
			t.Errorf("got %.300s", got)
		}
	}
}

func TestResolve(t *testing.T) {
	var store blobs
	ref, _ := store.put([]byte("abc"), "")
	url, _ := store.put([]byte("data:image/png;base64,AAAA"), "")
	gone := "blob:sha256:" + strings.Repeat("0", 64)
	history := `{"type":"message","message":{"role":"assistant","provider":"github-copilot","content":[{"type":"thinking","thinking":"t","thinkingSignature":"s"}],"providerPayload":{"type":"openaiResponsesHistory","items":[]},"usage":{}}}`
	forgotten := `{"type":"message","message":{"role":"assistant","provider":"github-copilot","content":[{"type":"thinking","thinking":"t"}],"usage":{}}}`
	other := strings.Replace(history, "github-copilot", "openai", 1)
	for _, c := range []struct {
		name, dialect, in, want string
		missing                 []string
	}{
		{"message image", "xcsh", `{"type":"message","message":{"content":[{"type":"image","data":"` + ref + `"}]}}`,
			`{"type":"message","message":{"content":[{"type":"image","data":"YWJj"}]}}`, nil},
		{"custom message image", "cambium", `{"type":"custom_message","content":[{"type":"image","data":"` + ref + `"}]}`,
			`{"type":"custom_message","content":[{"type":"image","data":"YWJj"}]}`, nil},
		{"image in details", "xcsh", `{"type":"message","message":{"details":{"content":[{"type":"image","data":"` + ref + `"}]}}}`, "", nil},
		{"image in details", "omp", `{"type":"message","message":{"details":{"content":[{"type":"image","data":"` + ref + `"}]}}}`,
			`{"type":"message","message":{"details":{"content":[{"type":"image","data":"YWJj"}]}}}`, nil},
		{"images", "omp", `{"type":"x","images":[{"mimeType":"image/png","data":"` + ref + `"}]}`, `{"type":"x","images":[{"mimeType":"image/png","data":"YWJj"}]}`, nil},
		{"frames wait", "omp", `{"type":"x","frames":[{"mimeType":"image/png","data":"` + ref + `"}]}`, "", nil},
		{"generated", "omp", `{"type":"x","y":{"type":"image_generation_call","result":"` + ref + `"}}`, `{"type":"x","y":{"type":"image_generation_call","result":"YWJj"}}`, nil},
		{"url", "xcsh", `{"type":"x","y":[{"image_url":"` + url + `"}]}`, `{"type":"x","y":[{"image_url":"data:image/png;base64,AAAA"}]}`, nil},
		{"missing", "xcsh", `{"type":"x","image_url":"` + gone + `","y":{"image_url":"` + gone + `"}}`, "", []string{gone}},
		{"no reference", "xcsh", `{"type":"x","image_url":"blob:sha256:../../etc/passwd"}`, "", nil},
		{"header", "xcsh", `{"type":"session","image_url":"` + url + `"}`, "", nil},
		{"pi", "pi", `{"type":"x","image_url":"` + url + `"}`, "", nil},
		{"history", "xcsh", history, forgotten, nil},
		{"history", "omp", history, forgotten, nil},
		{"history", "cambium", history, "", nil},
		{"history of others", "omp", other, "", nil},
		{"history of others", "xcsh", other, strings.Replace(forgotten, "github-copilot", "openai", 1), nil},
	} {
		want := c.want
		if want == "" {
			want = c.in
		}
		got, missing, err := spelling.Resolve([]byte(c.in), rules(t, c.dialect), store.get)
		if err != nil || string(got) != want || cmp.Diff(c.missing, missing) != "" {
			t.Errorf("%s, %s: missing %v, %v\n got %s\nwant %s", c.name, c.dialect, missing, err, got, want)
		}
	}
}

func FuzzPrepare(f *testing.F) {
	for _, s := range []string{
		`{"partialJson":1,"a":{"jsonlEvents":2}}`, `{"content":[{"type":"image","data":"AAAAAAAAAAAAAAAA"}],"lineCount":1}`,
		`{"type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinkingSignature":"{\"type\":\"reasoning\",\"id\":\"a\"}"}],"providerPayload":{"type":"openaiResponsesHistory","items":[{"type":"reasoning","id":"a"}]}}}`,
		`{"image_url":"data:image/png;base64,","x":"\ud800\ud83d\ude00aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var q jsonl.Query
		if q.Inside = -1; q.Scan(line, nil) != nil {
			return
		}
		for _, name := range []string{"xcsh", "omp", "pi"} {
			p := rules(t, name)
			if p.Limit > 0 {
				p.Limit, p.MinImage = 50, 8
			}
			var store blobs
			out, changed, err := spelling.Prepare(line, p, store.put)
			if err != nil || jsonl.Valid(out) != nil || changed == bytes.Equal(out, line) {
				t.Fatalf("%s: %q became %q, %v, %v", name, line, out, changed, err)
			}
			if _, missing, err := spelling.Resolve(out, p, store.get); err != nil || missing != nil && !bytes.Contains(line, []byte("blob:")) {
				t.Fatalf("%s: %q became %q, missing %v, %v", name, line, out, missing, err)
			}
		}
	})
}
