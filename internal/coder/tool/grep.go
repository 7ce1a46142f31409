package tool

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/message"
)

// grepTool searches in files.
type grepTool struct{}

const (
	grepWords = `Search the lines of files by a regular expression in the syntax of Go (RE2). What .gitignore files ignore,
.git, and binary files are left out; links are not followed. A line that matches comes as path:line:text, one of its
context as path-line-text. Long lines are cut.`
	grepForm = `{"type":"object","properties":{` +
		`"pattern":{"type":"string","description":"The regular expression."},` +
		`"path":{"type":"string","description":"The file or directory; the session's directory if not given."},` +
		`"glob":{"type":"string","description":"Only files of such names: *.go, or src/**/*.{ts,tsx}."},` +
		`"ignoreCase":{"type":"boolean","description":"Small and capital letters are the same."},` +
		`"literal":{"type":"boolean","description":"The pattern is plain text."},` +
		`"context":{"type":"integer","minimum":0,"maximum":20,"description":"How many lines to show before and after; 0 if not given."},` +
		`"limit":{"type":"integer","minimum":1,"maximum":1000,"description":"How many matches to show; 100 if not given."}` +
		`},"required":["pattern"],"additionalProperties":false}`
)

// The bounds of a search.
const (
	maxContext = 20
	maxMatches = 1000
	// grepLine is how much of a line is searched, in bytes.
	grepLine = 1 << 20
)

// Spec implements Tool.
func (grepTool) Spec() provider.Tool { return spec("grep", grepWords, grepForm) }

// Changes implements Tool.
func (grepTool) Changes() bool { return false }

// Run implements Tool.
func (grepTool) Run(ctx context.Context, arguments message.JSON, env Env) Result {
	a := readArguments(arguments)
	pattern, path, only := a.text("pattern"), a.textOr("path", "."), a.textOr("glob", "")
	ignoreCase, literal := a.flag("ignoreCase"), a.flag("literal")
	s := &search{ctx: ctx}
	s.around = a.whole("context", 0, 0, maxContext)
	s.limit = a.whole("limit", 100, 1, maxMatches)
	if err := a.err(); err != nil {
		return failed(err)
	}
	var err error
	if s.re, err = expression(pattern, literal, ignoreCase); err != nil {
		return failed(err)
	}
	if only == "" {
		only = "*"
	}
	names, err := newNames(only)
	if err != nil {
		return failed(err)
	}
	p, err := locate(env, path, true)
	if err != nil {
		return failed(err)
	}
	defer p.close()
	if err := s.in(p, env, names); err != nil && !errors.Is(err, errEnough) {
		return failedIn(ctx, err)
	}
	return s.result(p)
}

// expression compiles what is searched for.
func expression(pattern string, literal, ignoreCase bool) (*regexp.Regexp, error) {
	if pattern == "" {
		return nil, errors.New("the pattern is empty")
	}
	text := pattern
	if literal {
		text = regexp.QuoteMeta(text)
	}
	if ignoreCase {
		text = "(?i)" + text
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("the pattern %q cannot be understood: %w; set literal to search for it as it is", pattern, err)
	}
	return re, nil
}

// A search is a grep that runs.
type search struct {
	ctx           context.Context
	re            *regexp.Regexp
	around, limit int

	list           listing
	walk           walk
	matches, files int
	more           bool
	// what the file that was searched last is, "" for text.
	what string
	r    *bufio.Reader
	buf  bytes.Buffer
}

// in searches a file, or what is below a directory.
func (s *search) in(p *place, env Env, names names) error {
	s.r = bufio.NewReaderSize(nil, grepLine)
	info, err := p.root.Lstat(p.rel)
	if err != nil {
		return fmt.Errorf("%q cannot be searched: %w", p.name, because(err))
	}
	if !info.IsDir() {
		f, _, err := p.open()
		if err != nil {
			return err
		}
		defer closing(s.ctx, f)()
		if err := s.file(f, p.name); err != nil || s.what == "" {
			return err
		}
		return fmt.Errorf("%q is %s, which is not searched", p.name, s.what)
	}
	s.walk.visit = func(path string, e fs.DirEntry) error {
		if !e.Type().IsRegular() || !names.match(path) {
			return nil
		}
		f, _, err := openRegular(s.walk.root, path, path, p.outside)
		if err != nil {
			s.walk.unread++
			return nil
		}
		defer closing(s.ctx, f)()
		return s.file(f, p.below(path))
	}
	if err := walkPlace(s.ctx, p, env, &s.walk); err != nil {
		return fmt.Errorf("%q cannot be searched: %w", p.name, because(err))
	}
	return nil
}

// file searches one file.
func (s *search) file(f io.Reader, name string) error {
	s.r.Reset(f)
	start, _ := s.r.Peek(sniffed) // what cannot be read is noticed below
	if s.what = binary(start); s.what != "" {
		return nil
	}
	h := &hits{search: s, name: cleanName(name)}
	for n := 1; ; n++ {
		if n%1024 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		line, length, err := s.line()
		if length == 0 {
			// A file that breaks off is searched as far as it can be read.
			return s.ctx.Err()
		}
		if err := h.line(n, line); err != nil {
			return err
		}
		if err != nil {
			return s.ctx.Err()
		}
	}
}

// line reads a line without its end; of one that is longer than the buffer, its
// beginning.
func (s *search) line() (line []byte, length int64, err error) {
	line, err = s.r.ReadSlice('\n')
	length = int64(len(line))
	if err == bufio.ErrBufferFull {
		s.buf.Reset()
		s.buf.Write(line)
		line = s.buf.Bytes()
		for err == bufio.ErrBufferFull && s.ctx.Err() == nil {
			var rest []byte
			rest, err = s.r.ReadSlice('\n')
			length += int64(len(rest))
		}
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), length, err
}

// hits are the matches of one file.
type hits struct {
	*search
	name   string
	before []string // lines that may yet be context, with their numbers
	after  int      // how many lines of context still come
	last   int      // the line that was shown last, 0 for none
	found  bool
}

// line takes the next line of the file.
func (h *hits) line(n int, line []byte) error {
	at := h.re.FindIndex(line)
	switch {
	case at != nil:
		return h.match(n, line, at)
	case h.after > 0:
		h.after--
		return h.show(n, fmt.Sprintf("%s-%d-%s", h.name, n, excerpt(line, 0)))
	case h.around > 0:
		if len(h.before) == h.around {
			h.before = append(h.before[:0], h.before[1:]...)
		}
		h.before = append(h.before, fmt.Sprintf("%s-%d-%s", h.name, n, excerpt(line, 0)))
	}
	return nil
}

func (h *hits) match(n int, line []byte, at []int) error {
	if h.matches == h.limit {
		h.more = true
		return errEnough
	}
	first := n - len(h.before)
	if h.around > 0 && h.list.lines > 0 && (h.last == 0 || first > h.last+1) && !h.list.add("--") {
		h.more = true
		return errEnough
	}
	for i, line := range h.before {
		if err := h.show(first+i, line); err != nil {
			return err
		}
	}
	h.before = h.before[:0]
	if err := h.show(n, fmt.Sprintf("%s:%d:%s", h.name, n, excerpt(line, at[0]))); err != nil {
		return err
	}
	h.matches++
	if !h.found {
		h.found = true
		h.files++
	}
	h.after = h.around
	return nil
}

// show adds a line to the list.
func (h *hits) show(n int, line string) error {
	if !h.list.add(line) {
		h.more = true
		return errEnough
	}
	h.last = n
	return nil
}

// excerpt is a line, or of a long one what is around a place.
func excerpt(line []byte, at int) string {
	if len(line) <= MaxHit {
		return clean(string(line))
	}
	from := max(0, min(at-MaxHit/4, len(line)-MaxHit))
	for from > 0 && from < len(line) && !utf8.RuneStart(line[from]) {
		from--
	}
	text := head(string(line[from:]), MaxHit)
	if from+len(text) < len(line) {
		text += "…"
	}
	if from > 0 {
		text = "…" + text
	}
	return clean(text)
}

// result is what was found.
func (s *search) result(p *place) Result {
	text := s.list.b.String()
	if s.matches == 0 {
		text = "[nothing found]"
	}
	if s.more {
		text = notef(text, "only the first %d; there are more", s.matches)
	}
	if s.walk.unread > 0 {
		text = notef(text, "%d files or directories could not be read", s.walk.unread)
	}
	text = s.walk.deepNote(text)
	return said(strings.TrimSuffix(text, "\n"), struct {
		Path      string `json:"path"`
		Matches   int    `json:"matches"`
		Files     int    `json:"files"`
		Truncated bool   `json:"truncated"`
	}{clean(p.name), s.matches, s.files, s.more})
}
