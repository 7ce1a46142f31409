package export_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/export"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	source "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// checkHarmless checks that outside of code no tag and no picture begins, and that what
// comes behind is not drawn in.
func checkHarmless(t *testing.T, text string) {
	t.Helper()
	got := export.Harmless(text)
	code := export.CodeIn(got)
	for i := range len(got) {
		for len(code) > 0 && i >= code[0][1] {
			code = code[1:]
		}
		if len(code) > 0 && i >= code[0][0] {
			continue
		}
		if got[i] == '<' {
			t.Fatalf("%q becomes %q, with a tag at %d", text, got, i)
		}
	}
	checkRendered(t, text, got)
	if !export.Closed(got) {
		t.Fatalf("%q becomes %q, which goes on", text, got)
	}
}

// github is Markdown as it is shown on the web, with footnotes and HTML.
// Footnotes are there whether the text refers to them or not.
var github = parser.NewParser(
	parser.WithBlockParsers(append(parser.DefaultBlockParsers(), util.Prioritized(extension.NewFootnoteBlockParser(), 999))...),
	parser.WithInlineParsers(append(parser.DefaultInlineParsers(), util.Prioritized(extension.NewStrikethroughParser(), 500))...),
	parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), util.Prioritized(extension.NewTableParagraphTransformer(), 200))...))

// checkRendered fails when Markdown made of a text has HTML or a picture where it is shown.
func checkRendered(t *testing.T, text, got string) {
	t.Helper()
	_ = ast.Walk(github.Parse(source.NewReader([]byte(got))), func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		switch n.Kind() {
		case ast.KindHTMLBlock, ast.KindRawHTML, ast.KindImage:
			if enter {
				t.Errorf("%q becomes %q, which has %v", text, got, n.Kind())
			}
		}
		return ast.WalkContinue, nil
	})
}

// TestHarmless: Markdown of a session makes no HTML of what is around it.
func TestHarmless(t *testing.T) {
	for _, text := range append(hostile(), "```\n<b>", "~~~~\n<b>\n~~~\n<i>", "> ```\n<b>", "1. ```\n   <b>\n\n<i>", "    <b>", "``<b>``", "`<b>\n<i>`", "\\<b>", "\\\\<b>", "[^1]: note\n\n    <b>\n\n[^1]", "[^1]: note\n\n    ![x](y)\n\n[^1]", "`a\n[^1]: b\n<b>` [^1]", "> `a\n> [^1]: b\n> <b>`",
		"[^1]: # `a\n<b>`", "[^1]: x | `a | <b>`\n    - | -\n\n[^1]", "[^1]: ~~~\n<b>", "``\n<script ``", "- [^1]:\n\n      <b>", "[^a]: [^b]:\n\n        <b>\n\n[^a][^b]", "``` `\n<b>") {
		checkHarmless(t, text)
	}
	for text, want := range map[string]string{
		"a <b> `<c>` d":          "a &lt;b> `<c>` d",
		"```html\n<b>\n```":      "```html\n<b>\n```",
		"![x](y) \\![x](y)":      "\\![x](y) \\![x](y)",
		"```\nopen":              "```\nopen\n```",
		"# plain\n\n- *text*, 1": "# plain\n\n- *text*, 1",
	} {
		if got := export.Harmless(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// FuzzHarmless is TestHarmless for any text.
func FuzzHarmless(f *testing.F) {
	for _, text := range hostile() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) <= 4000 {
			checkHarmless(t, text)
		}
	})
}

// TestMarkdown: what each part of a session is in Markdown.
func TestMarkdown(t *testing.T) {
	say := func(who transcript.Speaker, blocks ...transcript.Block) transcript.Step {
		return transcript.Step{Part: transcript.Part{Message: transcript.Message{Who: who, Blocks: blocks}}}
	}
	for _, test := range []struct {
		step transcript.Step
		want string
	}{
		{say(transcript.User, transcript.Block{Text: "Why <this>?"}), "## You\n\nWhy &lt;this>?\n"},
		{say(transcript.Assistant, transcript.Block{Kind: transcript.Thinking, Text: "hm"}), "## Agent\n\n<details><summary>Thinking</summary>\n\nhm\n\n</details>\n"},
		{say(transcript.Assistant, transcript.Block{Kind: transcript.Call, Name: "bash", Arguments: []byte(`{"command":"ls <x>","timeout":3}`)}),
			"<details><summary><b>bash</b> <code>ls &lt;x&gt;</code></summary>\n\ntimeout:\n\n```\n3\n```\n\n</details>\n"},
		{say(transcript.Assistant, transcript.Block{Kind: transcript.Call, Name: "edit", Arguments: []byte(`{"path":"a","oldText":"x","newText":"y"}`)}),
			"<code>a</code></summary>\n\n```diff\n- x\n+ y\n```\n\n</details>\n"},
		{say(transcript.Tool, transcript.Block{Kind: transcript.Result, Text: "a ``` b\n"}), "<details><summary>result, 1 line</summary>\n\n````\na ``` b\n````\n\n</details>\n"},
		{transcript.Step{Part: transcript.Part{Sort: transcript.Rule, Text: "*cut*"}}, "---\n\n*\\*cut\\**\n"},
		{transcript.Step{Turn: transcript.Elsewhere, Entries: 2, Part: transcript.Part{Text: "user x"}}, "*another branch, 2 entries: user x*\n"},
	} {
		var out bytes.Buffer
		s := export.Session{Title: "a_b", Steps: func(yield func(transcript.Step, error) bool) { yield(test.step, nil) }}
		if _, err := export.Markdown(context.Background(), &out, s, export.Options{}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(out.String(), "# a\\_b\n") || !strings.Contains(out.String(), test.want) {
			t.Errorf("%q is not in %q", test.want, out.String())
		}
	}
}
