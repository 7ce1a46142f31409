//go:build web

package web_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// pictures is where screenshots are written, "" for nowhere.
var pictures = flag.String("write", "", "write screenshots to this directory")

// patience is how long a browser is used at most: one that hangs is no reason to wait.
const patience = 8 * time.Minute

// command builds the command and returns its path.
func command(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cambium")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "./cmd/cambium")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// export writes a session as a page, or as pages, and returns the path of the first one.
func export(t *testing.T, cambium, session string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	to := filepath.Join(dir, "talk.html")
	cmd := exec.CommandContext(t.Context(), cambium, append([]string{"export", session, "-o", to}, flags...)...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "XDG_") }), "HOME="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, err := os.Stat(to); err != nil {
		return filepath.Join(dir, "talk", "page-0001.html")
	}
	return to
}

// browser starts Chromium, with a private profile.
func browser(t *testing.T) context.Context {
	t.Helper()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()))
	bounded, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewExecAllocator(bounded, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// A tab is one page in the browser, and what it did.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	said     []string // on the console, and what went wrong
	requests []string
}

// newTab opens a tab; without is that scripts are off.
func newTab(t *testing.T, browser context.Context, without bool) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx}
	chromedp.ListenTarget(ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			b.said = append(b.said, "console: "+string(e.Type))
		case *runtime.EventExceptionThrown:
			b.said = append(b.said, "exception: "+e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			b.said = append(b.said, "log: "+e.Entry.Text)
		case *page.EventJavascriptDialogOpening:
			b.said = append(b.said, "dialog: "+e.Message)
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, "data:") {
				b.requests = append(b.requests, e.Request.URL)
			}
		}
	})
	b.run(network.Enable(), log.Enable(), runtime.Enable(), emulation.SetScriptExecutionDisabled(without))
	return b
}

func (b *tab) run(actions ...chromedp.Action) {
	b.t.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// open goes to a file, and to a place in it.
func (b *tab) open(path, place string) {
	b.t.Helper()
	u := url.URL{Scheme: "file", Path: path, Fragment: place}
	b.run(chromedp.Navigate(u.String()))
}

// eval asks the page.
func eval[T any](b *tab, expression string) (value T) {
	b.t.Helper()
	b.run(chromedp.Evaluate(expression, &value))
	return value
}

// quiet checks that the page asked for nothing but files of its own directory, said
// nothing, and that no text of the session ran.
func (b *tab) quiet(path string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.said) > 0 {
		b.t.Errorf("%s said %q", filepath.Base(path), b.said)
	}
	for _, r := range b.requests {
		if !strings.HasPrefix(r, "file://"+filepath.Dir(path)+"/") {
			b.t.Errorf("%s asked for %s", filepath.Base(path), r)
		}
	}
}

// sessions are those whose exports are opened.
func sessions(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range []string{"pi", "omp", "xcsh", "cambium"} {
		found, err := filepath.Glob("../../examples/" + name + "/agent/sessions/*/*.jsonl")
		if err != nil || len(found) == 0 {
			t.Fatalf("no example of %s: %v", name, err)
		}
		path, err := filepath.Abs(found[0])
		if err != nil {
			t.Fatal(err)
		}
		all[name] = path
	}
	dir := t.TempDir()
	write := func(name string, lines []string) {
		path := filepath.Join(dir, name+".jsonl")
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		all[name] = path
	}
	write("long", long(914))
	write("hostile", hostile())
	return all
}

// object is a line.
func object(t map[string]any) string {
	line, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	return string(line)
}

// header begins a session.
func header(cwd string) string {
	return object(map[string]any{"type": "session", "version": 3, "id": "0000-web", "timestamp": "2026-01-02T03:04:05.000Z", "cwd": cwd})
}

// line is an entry with a message.
func line(id, parent string, message map[string]any) string {
	e := map[string]any{"type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-02T03:04:06.000Z", "message": message}
	if parent == "" {
		e["parentId"] = nil
	}
	return object(e)
}

func text(s string) []any { return []any{map[string]any{"type": "text", "text": s}} }

// picture is a small one.
func picture() string {
	img := image.NewRGBA(image.Rect(0, 0, 24, 16))
	for i := range 24 * 16 {
		img.Set(i%24, i/24, color.RGBA{uint8(i), 120, 200, 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// long is a session with so many messages: prompts, answers with code and tables, calls,
// long results, and pictures.
func long(n int) []string {
	lines := []string{header("/shed")}
	parent := ""
	for i := range n {
		id := fmt.Sprintf("m%05d", i)
		var m map[string]any
		switch i % 4 {
		case 0:
			m = map[string]any{"role": "user", "content": fmt.Sprintf("Question %d: why is this so?", i), "timestamp": 1}
		case 1:
			m = map[string]any{"role": "assistant", "model": "oak", "stopReason": "toolUse", "content": []any{
				map[string]any{"type": "thinking", "thinking": "It may be the clock."},
				map[string]any{"type": "text", "text": "| a | b |\n|---|---|\n| 1 | 2 |\n\n```go\nfunc main() { println(\"" + id + "\") }\n```\n"},
				map[string]any{"type": "toolCall", "id": "c" + id, "name": "bash", "arguments": map[string]any{"command": "seq 60"}},
			}}
		case 2:
			m = map[string]any{"role": "toolResult", "toolCallId": "c", "toolName": "bash", "isError": false, "content": text(strings.Repeat("a line of the output\n", 60))}
		default:
			m = map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": "look"}, map[string]any{"type": "image", "data": picture(), "mimeType": "image/png"}}}
		}
		lines = append(lines, line(id, parent, m))
		parent = id
	}
	return lines
}

// markers are texts that set window.fired, or ask for something, where they act.
func markers() []string {
	return []string{
		`<script>window.fired=1</script>`, `"><img src=https://example.org/x onerror="window.fired=1">`, `'><svg onload='window.fired=1'>`,
		`</title><script>window.fired=1</script>`, `</style><script>window.fired=1</script>`, `</script><script>window.fired=1</script>`,
		`<iframe src="https://example.org/">`, `<link rel=stylesheet href=https://example.org/x.css>`, `<meta http-equiv=refresh content="0;url=https://example.org/">`,
		`[x](javascript:window.fired=1)`, `![x](https://example.org/x.png)`, `<a href="javascript:window.fired=1" autofocus onfocus="window.fired=1">x</a>`,
		"```html\n<script>window.fired=1</script>\n```", `<details open ontoggle="window.fired=1">`, `<base href="https://example.org/">`, `<style>@import "https://example.org/";</style>`,
	}
}

// hostile is a session with the markers in every field.
func hostile() []string {
	lines := []string{header("/" + markers()[0])}
	parent := ""
	add := func(m map[string]any) {
		id := fmt.Sprintf("h%d%s", len(lines), `"><script>window.fired=1</script>`)
		lines = append(lines, line(id, parent, m))
		if len(lines)%5 != 0 {
			parent = id // some leave others beside them
		}
	}
	for _, x := range markers() {
		add(map[string]any{"role": "user", "content": x, "timestamp": 1})
		add(map[string]any{"role": "assistant", "model": x, "stopReason": x, "errorMessage": x, "content": []any{
			map[string]any{"type": "thinking", "thinking": x}, map[string]any{"type": "text", "text": x},
			map[string]any{"type": "toolCall", "id": x, "name": x, "arguments": map[string]any{x: x, "command": x, "path": x, "oldText": x, "newText": x + "y"}},
		}})
		add(map[string]any{"role": "toolResult", "toolCallId": x, "toolName": x, "isError": true, "content": text(strings.Repeat(x+"\n", 40)), "details": map[string]any{"diff": "+" + x}})
		add(map[string]any{"role": "user", "content": []any{map[string]any{"type": "image", "data": base64.StdEncoding.EncodeToString([]byte("<svg onload='window.fired=1'/>")), "mimeType": "image/svg+xml"},
			map[string]any{"type": "image", "data": x, "mimeType": x}}})
		add(map[string]any{"role": "bashExecution", "command": x, "output": x, "exitCode": 1})
		add(map[string]any{"role": x, "content": x})
		lines = append(lines, object(map[string]any{"type": "label", "id": "l" + x, "parentId": parent, "timestamp": x, "targetId": parent, "label": x}),
			object(map[string]any{"type": "session_info", "id": "n" + x, "parentId": parent, "timestamp": "2026-01-02T03:04:06.000Z", "name": x}),
			object(map[string]any{"type": x, "id": "u" + x, "parentId": parent, "timestamp": "2026-01-02T03:04:06.000Z"}))
	}
	return lines
}

// TestPagesInABrowser: the exports of the examples, of a long session and of a hostile one
// are read with a script and without, in light and dark, printed, and on a narrow screen.
// They say nothing on the console and ask for nothing.
func TestPagesInABrowser(t *testing.T) {
	cambium, all, chromium := command(t), sessions(t), browser(t)
	for name, session := range all {
		for _, script := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/script=%v", name, script), func(t *testing.T) {
				flags := []string{"--all"}
				if !script {
					flags = append(flags, "--no-script")
				}
				path := export(t, cambium, session, flags...)
				// The page with a script is also read where scripts are off.
				for _, off := range []bool{false, true} {
					b := newTab(t, chromium, off)
					b.open(path, "")
					b.look(script && !off)
					b.print()
					b.narrow()
					b.colours(name, script && !off)
					b.anchors(path)
					b.quiet(path)
				}
			})
		}
	}
}

// look checks what is on the page.
func (b *tab) look(script bool) {
	b.t.Helper()
	if n := eval[int](b, `document.querySelectorAll("main article").length`); n == 0 {
		b.t.Error("there is no message on the page")
	}
	if fired := eval[bool](b, `window.fired !== undefined`); fired {
		b.t.Error("a text of the session ran")
	}
	if n := eval[int](b, `document.querySelectorAll("script").length`); n > 1 {
		b.t.Errorf("there are %d scripts", n)
	}
	bad := `[...document.querySelectorAll("*")].filter(e => [...e.attributes].some(a => a.name.startsWith("on") || a.name === "style" || a.name === "srcdoc") ||
		["IFRAME", "OBJECT", "EMBED", "LINK", "BASE", "FORM", "SVG"].includes(e.tagName)).map(e => e.outerHTML.slice(0, 80))`
	if found := eval[[]string](b, bad); len(found) > 0 {
		b.t.Errorf("on the page are %q", found)
	}
	if n := eval[int](b, `document.querySelectorAll(".tools").length`); (n == 1) != script {
		b.t.Errorf("%d tools with a script %v", n, script)
	}
	if broken := eval[int](b, `[...document.images].filter(e => e.complete && e.naturalWidth === 0).length`); broken > 0 {
		b.t.Errorf("%d pictures are broken", broken)
	}
	if !script {
		return
	}
	found := eval[string](b, `(() => {
		const field = document.querySelector(".tools input");
		field.value = "the"; field.dispatchEvent(new Event("change"));
		const count = document.querySelector(".tools span").textContent;
		document.querySelectorAll(".tools button").forEach(e => { if (e.textContent === "unfold all") e.click() });
		const open = [...document.querySelectorAll("details")].every(e => e.open);
		document.querySelectorAll(".tools button").forEach(e => { if (e.textContent === "fold all") e.click() });
		const shut = [...document.querySelectorAll("details")].every(e => !e.open);
		return [count !== "", open, shut].join(" ");
	})()`)
	if found != "true true true" {
		b.t.Errorf("searching, unfolding and folding: %s", found)
	}
}

// print checks that the page prints.
func (b *tab) print() {
	b.t.Helper()
	b.run(chromedp.ActionFunc(func(ctx context.Context) error {
		data, _, err := page.PrintToPDF().Do(ctx)
		if err == nil && !bytes.HasPrefix(data, []byte("%PDF-")) {
			err = fmt.Errorf("no PDF: %.20q", data)
		}
		return err
	}))
}

// narrow checks that nothing is wider than a telephone.
func (b *tab) narrow() {
	b.t.Helper()
	b.run(chromedp.EmulateViewport(360, 780))
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 360 {
		b.t.Errorf("the page is %d pixels wide on a screen of 360", wide)
	}
	b.shot("narrow")
	b.run(chromedp.EmulateViewport(1200, 900))
}

// colours checks that light and dark differ.
func (b *tab) colours(name string, script bool) {
	b.t.Helper()
	var backs []string
	for _, scheme := range []string{"light", "dark"} {
		b.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
		backs = append(backs, eval[string](b, `getComputedStyle(document.body).backgroundColor+getComputedStyle(document.body).color`))
		if script {
			b.shot(scheme)
		}
	}
	if backs[0] == backs[1] {
		b.t.Errorf("light and dark are both %s", backs[0])
	}
	_ = name
}

// shot writes a screenshot of the example of pi.
func (b *tab) shot(what string) {
	b.t.Helper()
	if *pictures == "" || !strings.HasSuffix(b.t.Name(), "/pi/script=true") {
		return
	}
	var data []byte
	b.run(chromedp.Evaluate(`document.querySelectorAll(".found").forEach(e => e.classList.remove("found")); scrollTo(0, 0)`, nil), chromedp.CaptureScreenshot(&data))
	if err := os.WriteFile(filepath.Join(*pictures, "export-"+what+".png"), data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// anchors checks that each link within the page leads to a place, and that a link to an
// entry that is folded shows it.
func (b *tab) anchors(path string) {
	b.t.Helper()
	if lost := eval[[]string](b, `[...document.querySelectorAll('a[href^="#"]')].map(e => e.getAttribute("href").slice(1)).filter(id => !document.getElementById(id))`); len(lost) > 0 {
		b.t.Errorf("links lead nowhere: %.5q", lost)
	}
	place := eval[string](b, `(document.querySelector("details.side article") || document.querySelector("main article:last-of-type")).id`)
	b.open(path, place)
	if shown := eval[bool](b, fmt.Sprintf(`document.getElementById(%q).getClientRects().length > 0`, place)); !shown {
		b.t.Errorf("#%s is not shown", place)
	}
	folds := eval[bool](b, `(() => { const e = document.querySelector("details"); if (!e) return true; const was = e.open; e.querySelector("summary").click(); const now = e.open; e.querySelector("summary").click(); return was !== now })()`)
	if !folds {
		b.t.Error("a click does not fold")
	}
}

// TestManyPagesInABrowser: a session of more than 20 MB becomes pages, which lead to one
// another.
func TestManyPagesInABrowser(t *testing.T) {
	lines := long(400)
	big := strings.Repeat("a line of a very long output that goes on\n", 2500)
	for n := range 250 {
		id := fmt.Sprintf("z%05d", n)
		lines = append(lines, line(id, map[bool]string{true: "m00399", false: fmt.Sprintf("z%05d", n-1)}[n == 0], map[string]any{"role": "user", "content": big}))
	}
	session := filepath.Join(t.TempDir(), "large.jsonl")
	if err := os.WriteFile(session, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := export(t, command(t), session)
	b := newTab(t, browser(t), false)
	b.open(filepath.Join(filepath.Dir(path), "index.html"), "")
	pages := eval[int](b, `document.querySelectorAll("ol.pages a").length`)
	if pages < 5 {
		t.Fatalf("%d pages", pages)
	}
	seen := 0
	for name := eval[string](b, `document.querySelector("ol.pages a").getAttribute("href")`); name != "" && seen <= pages; seen++ {
		b.open(filepath.Join(filepath.Dir(path), name), "")
		if got := eval[int](b, `document.querySelectorAll("main article").length`); got == 0 {
			t.Errorf("%s is empty", name)
		}
		name = eval[string](b, `([...document.querySelectorAll("nav a")].find(e => e.textContent === "next") || document.createElement("a")).getAttribute("href") || ""`)
	}
	if seen != pages {
		t.Errorf("%d pages lead to one another, want %d", seen, pages)
	}
	b.quiet(path)
}
