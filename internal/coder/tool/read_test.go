package tool_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/message"
)

// numbered is n lines that say which they are.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	long := strings.Repeat("é", 3000)
	env := box(t, map[string]string{
		"plain":   "one\ntwo\nthree\n",
		"open":    "one\ntwo",
		"crlf":    "\ufeffone\r\ntwo\r\n",
		"empty":   "",
		"many":    numbered(4000),
		"wide":    strings.Repeat(strings.Repeat("w", 999)+"\n", 100),
		"long":    "first\n" + long + "\nlast\n",
		"exact":   strings.Repeat("x", tool.MaxLine) + "\n",
		"broken":  "good\nb\xffd \xc3\n",
		"later":   strings.Repeat("text\n", 3000) + "\x00\n",
		"dir/x":   "",
		"tags":    "ID3 tags, the ftyp box and GIF89a\n",
		"box":     "the ftyp box\n",
		"picture": "GIF89a is a format\n",
		"latin":   "caf\xe9\n",
	})
	tests := []struct{ arguments, want string }{
		{`"plain"`, "one\ntwo\nthree\n"},
		{`"plain","offset":2,"limit":1`, "two\n[lines 2 to 2 of 3; go on with offset 3]"},
		{`"plain","offset":3`, "three\n"},
		{`"plain","limit":3`, "one\ntwo\nthree\n"},
		{`"open","offset":2`, "two"},
		{`"open","limit":1`, "one\n[lines 1 to 1 of 2; go on with offset 2]"},
		{`"crlf"`, "\ufeffone\r\ntwo\r\n"},
		{`"empty"`, "[the file is empty]"},
		{`"many"`, numbered(2000) + "[lines 1 to 2000 of 4000; go on with offset 2001]"},
		{`"many","offset":3999`, "line 3999\nline 4000\n"},
		{`"wide"`, strings.Repeat(strings.Repeat("w", 999)+"\n", 51) + "[lines 1 to 51 of 100; go on with offset 52]"},
		{`"long"`, "first\n" + strings.Repeat("é", 1000) + "… [cut: 2,000 bytes of 5.9 KiB]\nlast\n" +
			"[1 line is cut; see line 2 whole with bash: sed -n 2p FILE | cut -b 2001-]"},
		{`"exact"`, strings.Repeat("x", tool.MaxLine) + "\n"},
		{`"broken"`, "good\nb\ufffdd \ufffd\n[1 line is not UTF-8; the bytes that are not are shown as U+FFFD]"},
		{`"tags"`, "ID3 tags, the ftyp box and GIF89a\n"},
		{`"box"`, "the ftyp box\n"},
		{`"picture"`, "GIF89a is a format\n"},
		{`"latin"`, "caf\ufffd\n[1 line is not UTF-8; the bytes that are not are shown as U+FFFD]"},
		{`"later","offset":3000`, "text\n\ufffd\n"},
	}
	for _, test := range tests {
		r := run(t, env, "read", `{"path":`+test.arguments+`}`)
		if got := words(r); r.IsError || got != test.want {
			t.Errorf("%s:\n got %.300q\nwant %.300q", test.arguments, got, test.want)
		}
	}
	d := details(t, run(t, env, "read", `{"path":"many","offset":11,"limit":5}`))
	for key, want := range map[string]any{"path": "many", "firstLine": 11.0, "lines": 5.0, "totalLines": 4000.0, "truncated": true} {
		if d[key] != want {
			t.Errorf("details %q is %v, want %v", key, d[key], want)
		}
	}
}

func TestReadRefused(t *testing.T) {
	env := box(t, map[string]string{
		"three": "1\n2\n3\n", "dir/x": "",
		"program": "\x7fELF\x02\x01\x01\x00", "paper": "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "wide": "\xff\xfea\x00b\x00", "data": "abc\x00def",
		"packed": "\x1f\x8b\x08\x00", "base": "SQLite format 3\x00", "tar": strings.Repeat("n", 200) + strings.Repeat("\x00", 57) + "ustar",
		"huge.png": "\x89PNG\r\n\x1a\n" + strings.Repeat("p", tool.MaxImage),
	})
	pipe := filepath.Join(env.Dir, "pipe")
	if err := scratch.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipe", filepath.Join(env.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ path, want string }{
		{"dir", `"dir" is a directory; see it with ls`},
		{".", `"." is a directory`},
		{"pipe", `"pipe" is a named pipe, which has no content`},
		{"link", `"pipe" is a named pipe`},
		{"none", `"none" cannot be read: no such file or directory`},
		{"three/x", `"three/x" cannot be reached: not a directory`},
		{"program", "an ELF program or library (8 bytes), not text that can be shown; look at it with bash"},
		{"paper", "a PDF document"},
		{"wide", "UTF-16 text (6 bytes), not text that can be shown; turn it into UTF-8 with iconv"},
		{"data", "is binary data (7 bytes)"},
		{"packed", "gzip data"},
		{"base", "an SQLite database"},
		{"tar", "a tar archive"},
		{"huge.png", "is a picture (image/png) of 3.8 MiB, and 3.8 MiB is the most"},
	}
	for _, test := range tests {
		r := run(t, env, "read", `{"path":`+quote(test.path)+`}`)
		if !r.IsError || !strings.Contains(words(r), test.want) {
			t.Errorf("%s:\n got %s\nwant %s", test.path, words(r), test.want)
		}
	}
	r := run(t, env, "read", `{"path":"three","offset":9}`)
	if !r.IsError || words(r) != `"three" has only 3 lines; offset 9 is behind its end` {
		t.Error(words(r))
	}
	env.Outside = true
	for path, want := range map[string]string{"/dev/zero": "is a device", "/dev/tty": "is a device"} {
		if r := run(t, env, "read", `{"path":`+quote(path)+`}`); !r.IsError || !strings.Contains(words(r), want) {
			t.Errorf("%s: %s", path, words(r))
		}
	}
}

func TestReadPicture(t *testing.T) {
	for kind, start := range map[string]string{
		"image/png": "\x89PNG\r\n\x1a\n\x00", "image/jpeg": "\xff\xd8\xff\xe0", "image/gif": "GIF89a\x01\x00", "image/webp": "RIFF\x10\x00\x00\x00WEBPVP8 ",
	} {
		env := box(t, map[string]string{"picture.txt": start})
		r := run(t, env, "read", `{"path":"picture.txt"}`)
		if r.IsError || len(r.Content) != 2 {
			t.Fatalf("%s: %s", kind, words(r))
		}
		image, ok := r.Content[1].(*message.Image)
		if !ok || image.MimeType != kind || image.Data != base64.StdEncoding.EncodeToString([]byte(start)) {
			t.Errorf("%s: %+v", kind, r.Content[1])
		}
		if d := details(t, r); d["mimeType"] != kind {
			t.Errorf("%s: details %s", kind, r.Details)
		}
	}
}

// TestReadLarge reads a page of a file of 4 GiB, most of which is one line.
func TestReadLarge(t *testing.T) {
	env := box(t, nil)
	f, err := os.Create(filepath.Join(env.Dir, "sparse"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(strings.Repeat("line\n", 10_000)); err != nil {
		t.Fatal(err)
	}
	// One line of 4 GiB, of which no more than a page is in memory.
	if err := f.Truncate(4 << 30); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	r := run(t, env, "read", `{"path":"sparse","offset":9999,"limit":1}`)
	if want := "line\n[lines 9999 to 9999; go on with offset 10000]"; words(r) != want {
		t.Errorf("got %.200q, want %q", words(r), want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := runIn(t, ctx, env, "read", `{"path":"sparse","offset":10001}`); !r.IsError {
		t.Error(words(r))
	}
}
