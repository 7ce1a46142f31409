package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/cli"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
)

// received runs a command line with stdout and stderr on one terminal and
// returns what it received, to the byte.
func received(t *testing.T, m *machine, cols uint16, args ...string) []byte {
	t.Helper()
	return receivedUntil(t, m, cols, "", args...)
}

// receivedUntil is received of a command that is interrupted once a text came, unless
// that is "".
func receivedUntil(t *testing.T, m *machine, cols uint16, text string, args ...string) []byte {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	if err := pty.Setsize(slave, &pty.Winsize{Rows: 5000, Cols: cols}); err != nil {
		t.Fatal(err)
	}
	all := make(chan []byte)
	go func() {
		var b []byte
		for part := make([]byte, 4096); ; { // ends with an error when the terminal closes
			n, err := master.Read(part)
			if b = append(b, part[:n]...); text != "" && bytes.Contains(b, []byte(text)) {
				interrupt()
			}
			if err != nil {
				break
			}
		}
		all <- b
	}()
	cli.Run(ctx, args, cli.System{
		Stdin: strings.NewReader(""), Stdout: slave, Stderr: slave, Dir: m.dir,
		Env:    append([]string{"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor"}, m.env...),
		Now:    func() time.Time { return time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC) },
		Random: rand.NewChaCha8([32]byte{1}),
	}) // what its exit code is does not matter here
	if err := slave.Close(); err != nil {
		t.Fatal(err)
	}
	return <-all
}

// sequences takes a terminal's input apart as ECMA-48 says: the text, and every
// control sequence and string in it, unfinished ones too.
func sequences(data []byte) (text []byte, all []string) {
	for len(data) > 0 {
		n := 1
		if data[0] == 0x1b {
			n = controlLength(data)
			all = append(all, string(data[:n]))
		} else {
			text = append(text, data[0])
		}
		data = data[n:]
	}
	return text, all
}

// controlLength is how long the sequence is that data begins with.
func controlLength(data []byte) int {
	if len(data) == 1 {
		return 1
	}
	switch data[1] {
	case '[':
		for n := 2; n < len(data); n++ {
			if data[n] >= 0x40 && data[n] <= 0x7e {
				return n + 1
			}
		}
	case ']', 'P', 'X', '^', '_':
		for n := 2; n < len(data); n++ {
			if data[n] == 7 {
				return n + 1
			}
			if data[n] == 0x1b && n+1 < len(data) && data[n+1] == '\\' {
				return n + 2
			}
		}
	default:
		return 2
	}
	return len(data)
}

// inert checks what a terminal received: no sequence but the renderer's own,
// which are renditions and "erase to the end of the line", and nothing else that
// moves the cursor, changes the direction of writing or is not seen.
func inert(t *testing.T, what string, data []byte) {
	t.Helper()
	own := map[string]bool{}
	for _, seq := range term.Sequences() {
		if !regexp.MustCompile(`^\x1b\[([0-9;]*m|K)$`).MatchString(seq) {
			t.Errorf("the renderer has a sequence of another kind: %q", seq)
		}
		own[seq] = true
	}
	text, all := sequences(data)
	for _, seq := range all {
		if !own[seq] {
			t.Errorf("%s: the terminal received %q", what, seq)
		}
	}
	if !utf8.Valid(text) {
		t.Errorf("%s: not UTF-8", what)
	}
	plain := strings.ReplaceAll(string(text), "\r\n", "\n")
	for i, r := range plain {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			t.Errorf("%s: the terminal received %U in %q", what, r, plain[max(0, i-40):min(len(plain), i+40)])
			return
		}
	}
}

// evil is text that takes over a terminal that takes it as it is. The mark says
// where it stood.
func evil(mark string) string {
	return "M" + mark + "M" + "\x1b]52;c;ZXZpbA==\x07" + "\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\" +
		"\x1b[2J\x1b[31;5m\x1b[?1049h\x1bP+q544e\x1b\\\x1b_apc\x1b\\\x1bc\x1b]0;title\x07" +
		"\u009b31m\u009d52;c;ZXZpbA==\u009c\u0090q\u009c\u0085" +
		"\u202eevil\u202c\u2066x\u2069\u200b\u200d\u2060\ufeff\u00ad\U000e0041\U000e007f" +
		"\x7f\b\a\v\f\x00\x0e" + "\u2028\u2029" + "\x1b[6n\x1b" + "E" + mark + "E"
}

// inName is evil without what no file name can hold, and short.
func inName(mark string) string {
	return "M" + mark + "M\x1b]52;c;eA==\a\u009b31m\u202e\u200b\x7f\r\xff\n.x"
}

// hostile returns a machine on which everything that is shown anywhere is evil.
func hostile(t *testing.T) (m *machine, path string, asked []string) {
	t.Helper()
	m = newMachine(t)
	cwd := filepath.Join(m.dir, inName("cwd"))
	dir := filepath.Join(m.home, ".omp/agent/sessions", "-"+inName("dir"))
	path = filepath.Join(dir, "2026-03-07T09-00-00-000Z_"+inName("file")+".jsonl")
	write(t, path, hostileSession(cwd))
	small := strings.Join([]string{hostileHeader(cwd, "1"), hostileMessage("a0000001", "", "user", `"content":`+quoted("other"))}, "\n") + "\n"
	write(t, filepath.Join(m.home, ".pi/agent/sessions/--w--", "2026-03-05T09-00-00-000Z_"+inName("pi")+".jsonl"), []byte(small))
	write(t, filepath.Join(dir, "."+filepath.Base(path)+".15d6f710a3be8465.tmp"), []byte(small))
	write(t, filepath.Join(m.home, ".omp/agent/blobs", inName("blob")), []byte("not the bytes of its name"))
	write(t, filepath.Join(m.home, ".pi/agent/sessions/--w--", inName("none")+".jsonl"), []byte("no session at all "+evil("text")+"\n"))
	trashed := filepath.Join(m.dir, inName("trashed")+".jsonl")
	write(t, trashed, []byte(small))
	if _, stderr, code := m.run("rm", trashed); code != 0 {
		t.Fatal(stderr)
	}
	s, err := session.Create(t.Context(), cwd, session.Options{
		Env: layout.Env{Home: m.home, Cwd: m.dir, Getenv: func(string) string { return "" }},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // the draft goes with the folder
	if _, err := s.Append(t.Context(), &entry.MessageBody{Message: []byte(`{"role":"user","content":` + quoted("draft") + `,"timestamp":1}`)}); err != nil {
		t.Fatal(err)
	}
	return m, path, []string{inName("asked"), "./" + inName("asked") + ".jsonl", "M"}
}

func quoted(mark string) string { return string(jsonedit.Quoted(evil(mark))) }

func hostileHeader(cwd, id string) string {
	return `{"type":"session","version":3,"id":` + string(jsonedit.Quoted(id+inName("id"))) + `,"timestamp":"2026-03-01T09:00:00.000Z","cwd":` +
		string(jsonedit.Quoted(cwd)) + `,"title":` + quoted("headertitle") + `,"parentSession":` + quoted("parent") + `}`
}

// hostileMessage is a message with some members; a parent of "" is null.
func hostileMessage(id, parent, role, members string) string {
	if parent = string(jsonedit.Quoted(parent)); parent == `""` {
		parent = "null"
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-03-01T09:00:01.000Z","message":{"role":%q,%s,"timestamp":1}}`, id, parent, role, members)
}

// hostileSession has something evil in each place that a view may show, and one
// damaged line of each kind.
func hostileSession(cwd string) []byte {
	assistant := func(content string) string {
		return `"content":[` + content + `],"api":` + quoted("api") + `,"provider":` + quoted("provider") + `,"model":` + quoted("model") +
			`,"usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}` +
			`,"stopReason":"error","errorMessage":` + quoted("errormessage")
	}
	entryLine := func(kind, id, parent, members string) string {
		return fmt.Sprintf(`{"type":%s,"id":%q,"parentId":%q,"timestamp":"2026-03-01T09:00:01.000Z",%s}`, kind, id, parent, members)
	}
	call := `{"type":"toolCall","id":"c1","name":` + quoted("toolname") + `,"arguments":{"path":` + quoted("argument") + `,` + quoted("key") + `:1}}`
	lines := []string{
		hostileHeader(cwd, "0"),
		hostileMessage("a0000001", "", "user", `"content":`+quoted("prompt")),
		hostileMessage("a0000002", "a0000001", "assistant", assistant(`{"type":"thinking","thinking":`+quoted("thinking")+`},{"type":"text","text":`+quoted("answer")+`},`+call)),
		hostileMessage("a0000003", "a0000002", "toolResult", `"toolCallId":"c1","toolName":`+quoted("resultname")+`,"isError":true,"content":[{"type":"text","text":`+quoted("result")+`},{"type":"image","data":"blob:sha256:`+strings.Repeat("ab", 32)+`","mimeType":`+quoted("mime")+`}]`),
		hostileMessage("a0000004", "a0000003", "bashExecution", `"command":`+quoted("command")+`,"output":`+quoted("output")+`,"exitCode":1`),
		entryLine(`"model_change"`, "a0000005", "a0000004", `"provider":`+quoted("newprovider")+`,"modelId":`+quoted("newmodel")+`,"model":`+quoted("ompmodel")),
		entryLine(`"thinking_level_change"`, "a0000006", "a0000005", `"thinkingLevel":`+quoted("level")),
		entryLine(`"label"`, "a0000007", "a0000006", `"targetId":"a0000003","label":`+quoted("label")),
		entryLine(`"session_info"`, "a0000008", "a0000007", `"name":`+quoted("name")),
		entryLine(`"custom_message"`, "a0000009", "a0000008", `"customType":`+quoted("customtype")+`,"content":`+quoted("custom")+`,"display":true`),
		entryLine(`"branch_summary"`, "a000000a", "a0000009", `"fromId":"a0000001","summary":`+quoted("branchsummary")),
		entryLine(`"compaction"`, "a000000b", "a000000a", `"summary":`+quoted("compaction")+`,"shortSummary":`+quoted("short")+`,"firstKeptEntryId":"a0000002","tokensBefore":1`),
		entryLine(quoted("kind"), "a000000c", "a000000b", `"data":`+quoted("data")),
		strings.ReplaceAll(hostileMessage("a000000d", "gone", "user", `"content":`+quoted("orphan")), `"a000000d"`, string(jsonedit.Quoted("a000000d"+evil("entryid")))),
		hostileMessage("a000000e", evil("parentid"), "user", `"content":`+quoted("second")),
		hostileMessage("a000000e", "a000000c", "user", `"content":`+quoted("duplicate")),
		"{\"type\":\"message\",\"id\":\"a000000f\"," + evil("raw") + "\xff\x9b31m",
		hostileMessage("a0000010", "a000000e", "user", `"content":"`+"Mbytes\xff\x9b31m\xc2\x9b31m"+`"`),
		hostileMessage("a0000011", "a0000010", evil("role"), `"content":`+quoted("ofrole")),
		hostileMessage("a0000012", "a0000010", "user", `"content":`+quoted("last")),
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// TestNothingDrivesTheTerminal runs every command that reads on sessions, names
// and stores full of what takes terminals over, and looks at all that the
// terminal receives.
func TestNothingDrivesTheTerminal(t *testing.T) {
	t.Parallel()
	m, path, asked := hostile(t)
	var lines [][]string
	for _, line := range []string{
		"ls", "ls --empty", "ls --usage --json", "ls --json --text", "ls -0", "ls --no-color", "recent --all", "recent --json --all",
		"doctor", "doctor --json", "doctor --all", "drafts", "drafts ls --json", "trash", "trash ls", "trash ls --json", "undo --list", "undo --list --json",
		"stats --by session,project,model,tool", "stats --explain", "stats --check", "stats --top 3", "stats --map", "stats --json --by model", "stats --explain --json",
		"search role:user", "search --json role:user -n 0", "search re:. --each 0", "search last -n 1",
	} {
		lines = append(lines, strings.Fields(line))
	}
	for _, target := range append([]string{path}, asked...) {
		for _, line := range []string{
			"show", "show --full", "show --json", "show --strict", "tree", "tree --full", "tree --json", "context", "context --full", "context --llm",
			"context --json", "entries", "entries --raw", "doctor", "doctor --json", "follow -n 100 --until-idle 1ms", "follow -n 100 --json --until-idle 1ms",
			"show --leaf a0000003", "show --first",
		} {
			lines = append(lines, append(strings.Fields(line), target))
		}
	}
	lines = append(lines, []string{"show", path, "--leaf", evil("leafasked")}, []string{"ls", "--cwd", evil("cwdasked")}, []string{"ls", "--session-dir", filepath.Join(m.dir, inName("dirasked"))},
		[]string{evil("command")}, []string{"ls", "--" + evil("flag")}, []string{"ls", "--agent", evil("agent")}, []string{"search", evil("word")}, []string{"search", `"` + evil("quote")})
	before := snapshot(t, m.home)
	var all bytes.Buffer
	for _, args := range lines {
		for _, cols := range []uint16{60, 600} {
			data := received(t, m, cols, args...)
			if slices.Contains(args, "-0") {
				data = bytes.ReplaceAll(data, []byte{0}, nil) // asked for, and ignored by terminals
			}
			inert(t, fmt.Sprintf("%.80q on %d columns", args, cols), data)
			all.Write(data)
		}
	}
	if diff := cmp.Diff(before, snapshot(t, m.home)); diff != "" {
		t.Errorf("looking changed something: %q", diff)
	}
	for _, args := range [][]string{{"trash", "restore", evil("idasked")}, {"drafts", "restore", evil("draftasked")}, {"undo", evil("undoasked")}, {"undo"}, {"doctor", "--fix", path}} {
		inert(t, fmt.Sprintf("%.80q", args), received(t, m, 60, args...)) // these may change something
	}
	// All of it was there to be shown.
	for _, mark := range []string{
		"cwd", "dir", "file", "pi", "none", "trashed", "draft", "asked", "headertitle", "parent", "prompt", "thinking", "answer", "toolname", "argument",
		"result", "mime", "command", "output", "label", "customtype", "custom", "branchsummary", "compaction", "kind",
		"orphan", "entryid", "parentid", "raw", "last", "errormessage", "model",
	} {
		if !bytes.Contains(all.Bytes(), []byte("M"+mark+"M")) {
			t.Errorf("what is in the place %q was never shown", mark)
		}
	}
}

// TestServeSaysWhere: the path of a socket that a person names does not drive the
// terminal, on which it is printed.
func TestServeSaysWhere(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	dir, err := os.MkdirTemp("/tmp", "cambium") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	data := receivedUntil(t, m, 200, "\n", "serve", "--socket", filepath.Join(dir, inName("socket")))
	inert(t, "serve", data)
	if !bytes.Contains(data, []byte("unix:"+dir)) || !bytes.Contains(data, []byte("MsocketM")) {
		t.Errorf("printed %q", data)
	}
}

// TestSequences sees that what takes a terminal's input apart finds what is
// in it.
func TestSequences(t *testing.T) {
	text, all := sequences([]byte("a\x1b[1mb\x1b]52;c;eA==\ac\x1b]8;;x\x1b\\d\x1bPq\x1b\\e\x1bcf\x1b[2J\x1b]unfinished"))
	if got := fmt.Sprintf("%s %q", text, all); got != `abcdef ["\x1b[1m" "\x1b]52;c;eA==\a" "\x1b]8;;x\x1b\\" "\x1bPq\x1b\\" "\x1bc" "\x1b[2J" "\x1b]unfinished"]` {
		t.Error(got)
	}
}
