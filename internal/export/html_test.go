package export_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/export"
	"github.com/cambium-dev/cambium/internal/redact"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/message"
)

// tag is a tag as the package writes it: nothing of a session can make one that is like
// it and not one of these.
var tag = regexp.MustCompile(`^</?(?:article|a|b|blockquote|body|br|code|del|details|div|em|figcaption|figure|footer|h1|h2|head|header|hr|html|i|img|ins|li|main|mark|meta|nav|ol|p|pre|s|span|strong|summary|table|td|th|title|tr|ul)` +
	`(?: (?:class="[a-z ]*"|id="(?:e-[A-Za-z0-9_.-]*|top|contents)"|href="(?:#e-[A-Za-z0-9_.-]*|#contents|page-[0-9]{4}\.html|index\.html|https?://[^"<>]*|mailto:[^"<>]*)"` +
	`|src="data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]*"|alt="[^"<>]*"|loading="lazy"|rel="noopener noreferrer nofollow"|title="[^"<>]*"|start="[0-9]+"|lang="en"|charset="utf-8"` +
	`|http-equiv="Content-Security-Policy"|name="(?:referrer|viewport|color-scheme)"|content="[^"<>]*"|open))*>`)

// checkTags checks that a page has no tag but those.
func checkTags(t *testing.T, page string) {
	t.Helper()
	css, js := export.Style()
	page = strings.Replace(page, "<style>"+css+"</style>", "", 1)
	page = strings.Replace(page, "<script>"+js+"</script>", "", 1)
	page = strings.TrimPrefix(page, "<!DOCTYPE html>")
	for at := strings.IndexByte(page, '<'); at >= 0; at = strings.IndexByte(page, '<') {
		found := tag.FindString(page[at:])
		if found == "" {
			t.Fatalf("this is no tag of a page: %.80q", page[at:])
		}
		page = page[at+len(found):]
	}
}

// step is one that has a text everywhere.
func step(text string, turn transcript.Turn, sort transcript.Sort, who transcript.Speaker, blocks ...transcript.Block) transcript.Step {
	return transcript.Step{Turn: turn, ID: text, Label: text, Time: 1, Entries: 3, Part: transcript.Part{
		Sort: sort, Text: text, Note: text, Message: transcript.Message{Who: who, Name: text, Diff: text, Blocks: blocks},
	}}
}

// everywhere is a session with a text in every place that takes one.
func everywhere(text string) export.Session {
	quoted := string(quote(text))
	arguments := []byte(`{` + quoted + `:` + quoted + `,"path":` + quoted + `,"content":` + quoted + `,"deep":[{"x":` + quoted + `}]}`)
	picture := &message.Image{MimeType: text, Data: text, URL: text}
	var blocks []transcript.Block
	for kind := transcript.Text; kind <= transcript.Piece; kind++ {
		blocks = append(blocks, transcript.Block{Kind: kind, Name: text, ID: text, Text: text, Arguments: arguments, Image: picture,
			File: &message.File{Path: text, Content: text, SkippedReason: text, Image: picture}})
	}
	png := base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n"))
	blocks = append(blocks, transcript.Block{Kind: transcript.Picture, Image: &message.Image{MimeType: text, Data: png}})
	var steps []transcript.Step
	for who := transcript.Other; who <= transcript.Summary; who++ {
		steps = append(steps, step(text, transcript.Along, transcript.Said, who, blocks...))
	}
	steps = append(steps, step(text, transcript.Along, transcript.Aside, 0), step(text, transcript.Along, transcript.Rule, 0),
		step(text, transcript.Enter, 0, 0), step(text, transcript.Leave, 0, 0), step(text, transcript.Elsewhere, 0, 0))
	return export.Session{Title: text, ID: text, Agent: text, CWD: text, Entries: 1, Steps: func(yield func(transcript.Step, error) bool) {
		for _, s := range steps {
			if !yield(s, nil) {
				return
			}
		}
	}}
}

func quote(s string) []byte {
	var b bytes.Buffer
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		if r < 0x20 || r == '"' || r == '\\' {
			b.WriteString(`\u00` + string("0123456789abcdef"[r>>4]) + string("0123456789abcdef"[r&15]))
			continue
		}
		b.WriteRune(r)
	}
	b.WriteByte('"')
	return b.Bytes()
}

func page(t *testing.T, s export.Session, o export.Options) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := export.HTML(context.Background(), &out, s, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// hostile are texts that would act in a page if they became a part of it.
func hostile() []string {
	return []string{
		`<script>top.fired=1</script>`, `"><img src=x onerror=top.fired=1>`, `' onmouseover='top.fired=1`, `</title><script>top.fired=1</script>`,
		`</style><script>top.fired=1</script>`, `</script><script>top.fired=1</script>`, `<!--`, `-->`, `]]>`, `<![CDATA[`, `{{.Title}}`, `&lt;script&gt;`,
		`[x](javascript:top.fired=1)`, `![x](https://example.org/a.png)`, `[x](data:text/html,<script>top.fired=1</script>)`, `<https://example.org/"onclick=x>`,
		`[x](https://example.org/"onclick=top.fired=1)`, "```html\n<script>top.fired=1</script>\n```", "|<b>|\n|-|\n|<i>|", `&#60;script&#62;`, `&lt;img src=x&gt;`,
		"\x00<b>", "\u202e<b>", "\x1b]0;x\x07<b>", "<svg/onload=top.fired=1>", "`<b>`", "<http://a`> `<b>`", "- x\n  ```\n<b>", `</details></main><b>`,
		"[x]: javascript:top.fired=1\n\n[x]", "<a href=\"javascript:x\">y</a>", "1<2 && 3>2", "\xff<b>", strings.Repeat("*", 3000) + "<b>",
	}
}

// TestNoTextIsMarkup: whatever a session says, in any place, is text of the page.
func TestNoTextIsMarkup(t *testing.T) {
	for _, text := range hostile() {
		checkTags(t, page(t, everywhere(text), export.Options{}))
		checkTags(t, page(t, everywhere(text), export.Options{NoScript: true, Redact: redact.New(redact.Options{Home: "/home/ada"})}))
	}
}

// FuzzNoTextIsMarkup is TestNoTextIsMarkup for any text.
func FuzzNoTextIsMarkup(f *testing.F) {
	for _, text := range hostile() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4000 {
			return
		}
		checkTags(t, page(t, everywhere(text), export.Options{}))
	})
}

// TestMarkupIsConstant: in the code of the package nothing becomes markup but constants, the
// style and the script.
func TestMarkupIsConstant(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, made := range regexp.MustCompile(`\bmarkup\(([^)]*)\)`).FindAllStringSubmatch(string(code), -1) {
			if made[1] != "style" && made[1] != "script" {
				t.Errorf("%s: %s", file, made[0])
			}
		}
	}
}

// TestTextIsThere: what was typed and what tools put out can be read back from the page.
func TestTextIsThere(t *testing.T) {
	for _, text := range []string{"1<2 && 3>2", `"quoted" 'twice'`, "a\n\n  b\t<c>", "&lt;", "grüße 日本"} {
		out := page(t, everywhere(text), export.Options{})
		for _, want := range []string{`<div class="typed">` + html.EscapeString(text) + "</div>", "<pre>" + html.EscapeString(text) + "</pre>"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is not in the page as %q", text, want)
			}
		}
	}
}

// TestPolicy: a page allows its own style and script, by their sums, and nothing else.
func TestPolicy(t *testing.T) {
	css, js := export.Style()
	sum := func(s string) string {
		h := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(h[:]) + "'"
	}
	for _, test := range []struct {
		noScript bool
		want     string
	}{
		{false, "default-src 'none'; img-src data:; style-src " + sum(css) + "; script-src " + sum(js) + "; base-uri 'none'; form-action 'none'"},
		{true, "default-src 'none'; img-src data:; style-src " + sum(css) + "; base-uri 'none'; form-action 'none'"},
	} {
		out := page(t, everywhere("x"), export.Options{NoScript: test.noScript})
		policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(out)
		if policy == nil || html.UnescapeString(policy[1]) != test.want {
			t.Errorf("the policy is %q, want %q", policy, test.want)
		}
		if !strings.Contains(out, "<style>"+css+"</style>") || strings.Contains(out, "<script>"+js+"</script>") == test.noScript {
			t.Error("the style or the script is not as its sum says")
		}
	}
}

// TestLinks: a link leads to the web, to mail or nowhere.
func TestLinks(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"[a](https://example.org/?a=1&b=2)", `<a rel="noopener noreferrer nofollow" href="https://example.org/?a=1&amp;b=2" title="https://example.org/?a=1&amp;b=2">a</a>`},
		{"<mailto:ada@example.org>", `href="mailto:ada@example.org"`},
		{"[a](javascript:x)", `a (javascript:x)`},
		{"[a](/etc/passwd)", `a (/etc/passwd)`},
		{"[a](file:///etc/passwd)", `a (file:///etc/passwd)`},
		{"![a](https://example.org/a.png)", `[picture: a]`},
		{"# *a*", `<p class="heading"><em>a</em></p>`},
		{"3. a\n4. b", `<ol start="3"><li>a</li>`},
		{"- [x] a", `<li>☑ a</li>`},
		{"~~a~~ **b** `c`", `<p><s>a</s> <strong>b</strong> <code>c</code></p>`},
		{"|a|\n|-|\n|b|", `<table><tr><th>a</th></tr>`},
		{"```go\nvar x = 1 // y\n```", `<span class="c">// y</span>`},
		{"a\\*b &amp; &#42;", `<p>a*b &amp; *</p>`},
		{"a  \nb", "<p>a<br>\nb</p>"},
		{"> a", "<blockquote><p>a</p>"},
	} {
		s := export.Session{Steps: func(yield func(transcript.Step, error) bool) {
			yield(step("", transcript.Along, transcript.Said, transcript.Assistant, transcript.Block{Text: test.text}), nil)
		}}
		if out := page(t, s, export.Options{NoScript: true}); !strings.Contains(out, test.want) {
			t.Errorf("%q: %q is not in %s", test.text, test.want, out[strings.Index(out, "<main"):])
		}
	}
}

// TestPictures: only what begins as a picture of a known type is one, whatever it is said
// to be.
func TestPictures(t *testing.T) {
	for _, test := range []struct{ said, data, want string }{
		{"image/png", "\x89PNG\r\n\x1a\nx", `src="data:image/png;base64,iVBORw0KGgp4"`},
		{"text/html", "\xff\xd8\xffx", `src="data:image/jpeg;base64,`},
		{"image/gif", "GIF89a", `src="data:image/gif;base64,`},
		{"", "RIFF1234WEBPx", `src="data:image/webp;base64,`},
		{"image/svg+xml", "<svg onload='x'/>", `<p class="aside">[image/svg+xml, 17 B]</p>`},
		{"image/png", "<script>", `<p class="aside">[image/png, 8 B]</p>`},
	} {
		s := export.Session{Steps: func(yield func(transcript.Step, error) bool) {
			yield(step("", transcript.Along, transcript.Said, transcript.User, transcript.Block{Kind: transcript.Picture,
				Image: &message.Image{MimeType: test.said, Data: base64.StdEncoding.EncodeToString([]byte(test.data))}}), nil)
		}}
		out := page(t, s, export.Options{NoScript: true})
		checkTags(t, out)
		if !strings.Contains(out, test.want) {
			t.Errorf("%s %q: %q is not in %s", test.said, test.data, test.want, out[strings.Index(out, "<main"):])
		}
	}
}

// files keeps the files of an export.
type files map[string]*bytes.Buffer

func (f files) Create(name string) (io.WriteCloser, error) {
	f[name] = new(bytes.Buffer)
	return closer{f[name]}, nil
}

type closer struct{ io.Writer }

func (closer) Close() error { return nil }

// TestPages: a long session becomes pages that lead to one another; each entry is on one
// of them, and its links lead to places on its page.
func TestPages(t *testing.T) {
	const prompts = 300
	s := export.Session{Title: "long", Steps: func(yield func(transcript.Step, error) bool) {
		for n := range prompts {
			id := strings.Repeat("x", n%7) + time.Duration(n).String()
			for _, who := range []transcript.Speaker{transcript.User, transcript.Tool} {
				text := strings.Repeat(id+" <b>&\n", 3000)
				p := step(id+transcript.Message{Who: who}.Title(), transcript.Along, transcript.Said, who, transcript.Block{Kind: transcript.Result, Text: text})
				p.Part.Message.Diff = ""
				if !yield(p, nil) {
					return
				}
			}
		}
	}}
	to := files{}
	report, err := export.Pages(context.Background(), to, s, export.Options{})
	if err != nil || report.Pages < 5 || len(to) != report.Pages+1 || report.Messages != 2*prompts {
		t.Fatalf("%d files, %+v, %v", len(to), report, err)
	}
	anchors := 0
	for name, file := range to {
		text := file.String()
		checkTags(t, text)
		if file.Len() > 4<<20 {
			t.Errorf("%s has %d bytes", name, file.Len())
		}
		anchors += strings.Count(text, ` id="e-`)
		for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(text, -1) {
			place, here := strings.CutPrefix(link[1], "#")
			if here && !strings.Contains(text, ` id="`+place+`"`) || !here && to[link[1]] == nil {
				t.Errorf("%s: a link leads to %s, which is not there", name, link[1])
			}
		}
	}
	if anchors != 2*prompts {
		t.Errorf("%d anchors, want %d", anchors, 2*prompts)
	}
}

// TestPagesOfASideBranch: a side branch that is longer than a page goes on on the next one;
// what is opened on a page is closed on it.
func TestPagesOfASideBranch(t *testing.T) {
	text := strings.Repeat("a line of the output\n", 5000)
	s := export.Session{Steps: func(yield func(transcript.Step, error) bool) {
		said := func(id string) transcript.Step {
			return transcript.Step{ID: id, Part: transcript.Part{Message: transcript.Message{Who: transcript.Tool, Blocks: []transcript.Block{{Kind: transcript.Result, Text: text}}}}}
		}
		_ = yield(said("a"), nil) && yield(transcript.Step{Turn: transcript.Enter, ID: "b0", Entries: 60}, nil)
		for n := range 60 {
			if n == 10 {
				_ = yield(transcript.Step{Turn: transcript.Enter, ID: "c0", Entries: 30}, nil)
			}
			if n == 40 {
				_ = yield(transcript.Step{Turn: transcript.Leave}, nil)
			}
			_ = yield(said("b"+time.Duration(n).String()), nil)
		}
		_ = yield(transcript.Step{Turn: transcript.Leave}, nil) && yield(said("z"), nil)
	}}
	to := files{}
	report, err := export.Pages(context.Background(), to, s, export.Options{})
	if err != nil || report.Pages < 3 || report.Sides != 2 || report.Messages != 62 {
		t.Fatalf("%+v, %v", report, err)
	}
	goesOn := 0
	for name, file := range to {
		text := file.String()
		checkTags(t, text)
		if file.Len() > 3<<20 {
			t.Errorf("%s has %d bytes", name, file.Len())
		}
		if open, end := strings.Count(text, "<details"), strings.Count(text, "</details>"); open != end {
			t.Errorf("%s opens %d and closes %d", name, open, end)
		}
		goesOn += strings.Count(text, "another branch goes on")
	}
	if goesOn < 2 {
		t.Errorf("branches go on %d times", goesOn)
	}
}

// TestEveryTextIsRedacted: there is no field of a step, or of the session, whose secret
// comes into an export.
func TestEveryTextIsRedacted(t *testing.T) {
	const key = "sk-ant-api03-" + "q8Zr4TnW0xKv2LmY7bHs5DgJ1fPc9aEuR3oIi6Nt-wQzX_yBhVkGjFsDlApSoCmEnUrTqWvYxZ0123456789abcdefghABAA"
	text := "the key is " + key + " and lies in /home/adalovelace/keys"
	o := redact.Options{Home: "/home/adalovelace"}
	for form, write := range map[string]func(io.Writer, export.Session, export.Options) error{
		"html": func(w io.Writer, s export.Session, o export.Options) error {
			_, err := export.HTML(context.Background(), w, s, o)
			return err
		},
		"md": func(w io.Writer, s export.Session, o export.Options) error {
			_, err := export.Markdown(context.Background(), w, s, o)
			return err
		},
		"json": func(w io.Writer, s export.Session, o export.Options) error {
			_, err := export.JSON(context.Background(), w, s, nil, func(yield func(entry.JSON, error) bool) {
				yield([]byte(`{"a":`+string(quote(text))+`,`+string(quote(text))+`:{"b":[`+string(quote(text))+`]}}`), nil)
			}, o)
			return err
		},
	} {
		for _, on := range []bool{true, false} {
			var out bytes.Buffer
			opt := export.Options{}
			if on {
				opt.Redact = redact.New(o)
			}
			if err := write(&out, everywhere(text), opt); err != nil {
				t.Fatal(err)
			}
			shown := strings.Contains(strings.ReplaceAll(html.UnescapeString(out.String()), `\`, ""), key) || strings.Contains(out.String(), "adalovelace")
			if shown == on {
				t.Errorf("%s: redacted %v, there %v", form, on, shown)
			}
		}
	}
}

// TestNamedSecrets: in JSON a secret that is known by the name beside it goes, however it is
// written.
func TestNamedSecrets(t *testing.T) {
	for _, line := range []string{
		`{"DB_PASSWORD":"apple-tree-9"}`, `{"a":{"DB_PASSWORD":"apple-tree-9\\"},"b":"\"}"}`, `{"DB_PASSWORD":"apple-tree-9\"; x"}`,
		`{"DB_PASSWORD":"apple\u002dtree-9"}`, `{"x":"DB_PASSWORD=apple-tree-9"}`, `{"DB_PASSWORD" : "apple-tree-9","n":[1,{"k":"\\\""}]}`,
	} {
		var out bytes.Buffer
		_, err := export.JSON(context.Background(), &out, export.Session{}, nil, func(yield func(entry.JSON, error) bool) { yield(entry.JSON(line), nil) },
			export.Options{Redact: redact.New(redact.Options{})})
		if err != nil || strings.Contains(strings.ReplaceAll(out.String(), `\u002d`, "-"), "apple-tree") || !json.Valid(out.Bytes()) {
			t.Errorf("%s becomes %s, %v", line, out.String(), err)
		}
	}
}

// TestEverywhereIsEverywhere: what TestEveryTextIsRedacted fills is every text that a step
// and a session have.
func TestEverywhereIsEverywhere(t *testing.T) {
	filled := map[string]bool{}
	var look func(path string, v reflect.Value)
	look = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			filled[path] = filled[path] || v.Len() > 0
		case reflect.Pointer:
			if !v.IsNil() {
				look(path, v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					look(path+"."+v.Type().Field(i).Name, v.Field(i))
				}
			}
		case reflect.Slice:
			for i := range v.Len() {
				look(path, v.Index(i))
			}
		}
	}
	s := everywhere("x")
	for one, err := range s.Steps {
		if err != nil {
			t.Fatal(err)
		}
		look("step", reflect.ValueOf(one))
	}
	s.Steps = nil
	look("session", reflect.ValueOf(s))
	for path, ok := range filled {
		if !ok && !strings.HasSuffix(path, ".Image.Detail") && !strings.HasSuffix(path, ".Image.ProviderFile") {
			t.Errorf("%s is empty", path)
		}
	}
	if len(filled) < 15 {
		t.Errorf("%d texts were found", len(filled))
	}
}

// TestLeftOut: what is not wanted is not there.
func TestLeftOut(t *testing.T) {
	say := func(kind transcript.Kind, text string) transcript.Block {
		return transcript.Block{Kind: kind, Text: text, Name: text}
	}
	s := export.Session{Steps: func(yield func(transcript.Step, error) bool) {
		_ = yield(step("", 0, 0, transcript.User, say(transcript.Text, "PROMPT")), nil) &&
			yield(step("", 0, 0, transcript.Assistant, say(transcript.Thinking, "THOUGHT"), say(transcript.Call, "CALL"), say(transcript.Text, "ANSWER")), nil) &&
			yield(step("", 0, 0, transcript.Tool, say(transcript.Result, "RESULT")), nil) &&
			yield(step("", 0, 0, transcript.Assistant, say(transcript.Thinking, "ALONE")), nil)
	}}
	for _, test := range []struct {
		o        export.Options
		want     string
		messages int
	}{
		{export.Options{}, "PROMPT THOUGHT CALL ANSWER RESULT ALONE", 4},
		{export.Options{NoTools: true}, "PROMPT THOUGHT ANSWER ALONE", 3},
		{export.Options{NoThinking: true}, "PROMPT CALL ANSWER RESULT", 3},
		{export.Options{NoTools: true, NoThinking: true}, "PROMPT ANSWER", 2},
	} {
		var text bytes.Buffer
		report, err := export.Markdown(context.Background(), &text, s, test.o)
		if err != nil || report.Messages != test.messages {
			t.Errorf("%+v: %+v, %v", test.o, report, err)
		}
		for _, out := range []string{page(t, s, test.o), text.String()} {
			var there []string
			for _, word := range strings.Fields("PROMPT THOUGHT CALL ANSWER RESULT ALONE") {
				if strings.Contains(out, word) {
					there = append(there, word)
				}
			}
			if got := strings.Join(there, " "); got != test.want {
				t.Errorf("%+v: %s, want %s", test.o, got, test.want)
			}
		}
	}
}

// TestFolded: of a long output the head and the tail are there, the rest is folded, and
// nothing is missing.
func TestFolded(t *testing.T) {
	for _, lines := range []int{1, 24, 25, 100} {
		text := ""
		for n := range lines {
			text += "line " + string(rune('a'+n%26)) + "\n"
		}
		s := export.Session{Steps: func(yield func(transcript.Step, error) bool) {
			p := step("", 0, 0, transcript.Tool, transcript.Block{Kind: transcript.Result, Text: text})
			p.Part.Message.Diff = ""
			yield(p, nil)
		}}
		out := page(t, s, export.Options{NoScript: true})
		if folded := strings.Contains(out, `class="more"`); folded != (lines > 24) {
			t.Errorf("%d lines: folded %v", lines, folded)
		}
		var all []string
		for _, pre := range regexp.MustCompile(`(?s)<pre>(.*?)</pre>`).FindAllStringSubmatch(out, -1) {
			all = append(all, pre[1])
		}
		if got := strings.Join(all, "\n") + "\n"; got != text {
			t.Errorf("%d lines: %q", lines, got)
		}
	}
}
