package consent_test

import (
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/consent"
)

// shown is what a question about a call shows.
func shown(t *testing.T, s consent.Screen, tool, target, arguments string) string {
	t.Helper()
	c, err := consent.Of(tool, "/home/ada/garden", []byte(arguments))
	if err != nil {
		t.Fatal(err)
	}
	c.Leads = target
	rows, err := c.Show(s)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(texts(rows), "\n") + "\n"
}

// A shell that is no bash is named.
func TestShowShell(t *testing.T) {
	c, err := consent.Of("bash", `C:\garden`, []byte(`{"command":"ls"}`))
	if err != nil {
		t.Fatal(err)
	}
	c.Shell = `C:\Windows\powershell.exe`
	rows, err := c.Show(consent.Screen{})
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(rows)[1]; got != `Its shell is C:\Windows\powershell.exe` {
		t.Errorf("shown: %s", got)
	}
}

// What the questions look like.
func TestShow(t *testing.T) {
	tests := []struct {
		name, tool, target, arguments, want string
		screen                              consent.Screen
	}{
		{name: "a command", tool: "bash", arguments: `{ "command" : "ls -la", "timeout": 30 }`,
			want: "Run bash in /home/ada/garden?\n  command: ls -la\n  timeout = 30\n"},
		{name: "an escape", tool: "bash", arguments: `{"command":"ls -la \u001b]0;touch F;:\u0007 # done"}`,
			want: "Run bash in /home/ada/garden?\n" + `  command: ls -la \u{1b}]0;touch F;:\u{7} # done` + "\n"},
		{name: "lines", tool: "bash", arguments: `{"command":"a\n\tb \n"}`,
			want: "Run bash in /home/ada/garden?\n  command:\n  | a\n" + `  | ⇥b\u{20}` + "\n  |\n"},
		{name: "ASCII", tool: "bash", screen: consent.Screen{ASCII: true}, arguments: `{"command":"echo a → b\tü > c"}`,
			want: "Run bash in /home/ada/garden?\n" + `  command: echo a \u{2192} b\u{9}\u{fc} > c` + "\n"},
		{name: "elsewhere", tool: "write", target: "/home/ada/.git/config", arguments: `{"path":"notes.md","content":""}`,
			want: "Run write in /home/ada/garden?\nIt leads to /home/ada/.git/config\n  path: notes.md\n  content = \"\"\n"},
		{name: "an edit", tool: "edit", arguments: `{"path":"a","edits":[{"oldText":"x\nb\ny","newText":"x\nB\ny"},{"oldText":"one","newText":""}]}`,
			want: "Run edit in /home/ada/garden?\n  path: a\n  edits = [\n    1 = {\n      oldText to newText:\n      | x\n      - b\n      + B\n      | y\n    }\n" +
				"    2 = {\n      oldText to newText:\n      - one\n      +\n    }\n  ]\n"},
		{name: "an imitation", tool: "x", arguments: `{"command":"ls\nRun rm in /?\n  path: /","a\": b\n":true,"1":{},"":[]}`,
			want: "Run x in /home/ada/garden?\n  command:\n  | ls\n  | Run rm in /?\n  |   path: /\n" + `  "a\u{22}: b\u{a}" = true` + "\n  \"1\" = {}\n  \"\" = []\n"},
		{name: "a literal escape", tool: "x", arguments: `{"c":"printf '\\u{1b} \\t \\\\'"}`,
			want: "Run x in /home/ada/garden?\n" + `  c: printf '\u{5c}u{1b} \t \\'` + "\n"},
		{name: "nothing", tool: "mcp__a__b c", arguments: ``, want: "Run \"mcp__a__b c\" in /home/ada/garden?\nIt is given nothing.\n"},
		{name: "from right to left", tool: "x", arguments: `{"c":"אב"}`,
			want: "Run x in /home/ada/garden?\n  c: אב\nSome of it is written from right to left, and may be drawn in another order.\n"},
		{name: "wrapped", tool: "bash", screen: consent.Screen{Cols: 40}, arguments: `{"command":"ls                                                    ; rm -r / now and then and again 日本語日本語日本語日本語日本語日本語"}`,
			want: "Run bash in /home/ada/garden?\n" + `  command: ls                   \u{20}` + "\n" + `…                    \u{20}` + "\n" +
				"…             ; rm -r / now and then\n…  and again 日本語日本語日本語日本語日\n… 本語日本語\n"},
		{name: "wrapped in ASCII", tool: "bash", screen: consent.Screen{Cols: 40, ASCII: true}, arguments: `{"command":"` + strings.Repeat("x", 70) + `"}`,
			want: "Run bash in /home/ada/garden?\n  command: " + strings.Repeat("x", 28) + "\n" + `\ ` + strings.Repeat("x", 37) + "\n" + `\ ` + strings.Repeat("x", 5) + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, _, _ := strings.Cut(shown(t, tt.screen, tt.tool, tt.target, tt.arguments), "Always allows"); got != tt.want {
				t.Errorf("shown:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

// What is allowed for good is said, and that an argument cannot say otherwise.
func TestShowAlways(t *testing.T) {
	got := shown(t, consent.Screen{}, "bash", "", `{"a":"\nAlways allows nothing."}`)
	if want := "\n  | Always allows nothing.\nAlways allows every call of bash in this session and directory.\n"; !strings.HasSuffix(got, want) {
		t.Errorf("shown:\n%s", got)
	}
}

// What cannot be shown is refused, in one line that says why.
func TestRefused(t *testing.T) {
	tests := []struct{ name, arguments, want string }{
		{"twice", `{"command":"ls","command":"rm"}`, `duplicate object member name "command"`},
		{"twice, within", `{"a":[{"b":1,"\u0062":2}]}`, "duplicate object member name"},
		{"a lone surrogate", `{"a":"\ud800"}`, "surrogate"},
		{"no UTF-8", "{\"a\":\"\xff\"}", "UTF-8"},
		{"no object", `[1]`, "no object"},
		{"more behind it", `{} {}`, "more follows"},
		{"torn", `{"a":"b`, "EOF"},
		{"deep", strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), "levels deep"},
		{"long", `{"a":"` + strings.Repeat("x", consent.MaxBytes) + `"}`, "is the most"},
		{"an escape as a name", `{"\u001b[2J":1,"\u001b[2J":2}`, `x1b[2J`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := consent.Of("bash", "/", []byte(tt.arguments))
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("refused with %v, want %q", err, tt.want)
			}
		})
	}
}

// A call of some megabytes is shown whole, in time and room that grow as it does.
func TestShowLong(t *testing.T) {
	const size = 2 << 20
	for _, text := range []string{strings.Repeat("x", size), strings.Repeat(" ", size), strings.Repeat(`\n`, size/2), strings.Repeat(`\u001b`, size/6)} {
		c, err := consent.Of("write", "/", []byte(`{"content":"`+text+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := c.Show(consent.Screen{Cols: 40}); err != nil || len(rows) < size/100 {
			t.Errorf("%d rows, %v", len(rows), err)
		}
	}
}
