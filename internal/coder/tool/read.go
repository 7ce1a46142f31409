package tool

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/message"
)

// readTool shows a file.
type readTool struct{}

const (
	readWords = `Show a file. Text comes as it is, at most 2000 lines or 50 KiB at a time; a long
file says at its end how to go on with "offset". A line of more than 2000 bytes is cut. Pictures (PNG, JPEG, GIF, WebP)
are shown as pictures. Directories and other binary files are refused; use ls and bash for them.`
	readForm = `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"The file, absolute or seen from the session's directory."},` +
		`"offset":{"type":"integer","minimum":1,"description":"The first line to show, counted from 1."},` +
		`"limit":{"type":"integer","minimum":1,"maximum":2000,"description":"How many lines to show; 2000 if not given."}` +
		`},"required":["path"],"additionalProperties":false}`
)

// Spec implements Tool.
func (readTool) Spec() provider.Tool { return spec("read", readWords, readForm) }

// Changes implements Tool.
func (readTool) Changes() bool { return false }

// spec is what a model is told, on one line.
func spec(name, words, form string) provider.Tool {
	return provider.Tool{Name: name, Description: strings.ReplaceAll(words, "\n", " "), Parameters: message.JSON(form)}
}

// Run implements Tool.
func (readTool) Run(ctx context.Context, arguments message.JSON, env Env) Result {
	a := readArguments(arguments)
	path := a.text("path")
	offset := a.whole("offset", 1, 1, math.MaxInt32)
	limit := a.whole("limit", MaxLines, 1, MaxLines)
	if err := a.err(); err != nil {
		return failed(err)
	}
	p, err := locate(env, path, true)
	if err != nil {
		return failed(err)
	}
	defer p.close()
	f, info, err := p.open()
	if err != nil {
		return failed(err)
	}
	defer closing(ctx, f)()

	r := bufio.NewReaderSize(f, 64<<10)
	start, err := r.Peek(sniffed)
	if err != nil && err != io.EOF {
		return failedIn(ctx, fmt.Errorf("%q cannot be read: %w", p.name, because(err)))
	}
	if kind := imageType(start); kind != "" {
		return picture(ctx, p, r, kind, info.Size())
	}
	if what := binary(start); what != "" {
		hint := "look at it with bash"
		if strings.HasPrefix(what, "UTF-") {
			hint = "turn it into UTF-8 with iconv"
		}
		return failed(fmt.Errorf("%q is %s (%s), not text that can be shown; %s", p.name, what, size(info.Size()), hint))
	}
	pg := &page{name: p.name, offset: offset, limit: limit}
	if err := pg.read(ctx, r); err != nil {
		return failedIn(ctx, fmt.Errorf("%q cannot be read: %w", p.name, because(err)))
	}
	return pg.result(f, info.Size())
}

// picture shows an image.
func picture(ctx context.Context, p *place, r io.Reader, kind string, length int64) Result {
	data, err := io.ReadAll(io.LimitReader(r, MaxImage+1))
	if err != nil {
		return failedIn(ctx, fmt.Errorf("%q cannot be read: %w", p.name, because(err)))
	}
	if len(data) > MaxImage {
		return failed(fmt.Errorf("%q is a picture (%s) of %s, and %s is the most that can be shown; make a smaller one with bash",
			p.name, kind, size(length), size(MaxImage)))
	}
	res := said(fmt.Sprintf("%s, %s, %s", cleanName(p.name), kind, size(int64(len(data)))), struct {
		Path     string `json:"path"`
		MimeType string `json:"mimeType"`
		Bytes    int    `json:"bytes"`
	}{clean(p.name), kind, len(data)})
	res.Content = append(res.Content, &message.Image{Data: base64.StdEncoding.EncodeToString(data), MimeType: kind})
	return res
}

// A page is a part of a text file.
type page struct {
	name          string
	offset, limit int

	text strings.Builder
	// line is the number of the last line read, shown how many are on the page.
	line, shown int
	// more says that there are lines after the page.
	more   bool
	cut    []int // lines that were cut
	broken int   // lines that are not UTF-8
}

// read fills the page and stops behind it.
func (p *page) read(ctx context.Context, r *bufio.Reader) error {
	for {
		if p.line%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, length, err := readLine(ctx, r, MaxLine)
		if err != nil && err != io.EOF {
			return err
		}
		if length == 0 {
			return nil
		}
		if p.shown == p.limit || p.text.Len()+len(line) > MaxBytes {
			p.more = true
			return nil
		}
		if p.line++; p.line >= p.offset {
			p.add(line, length)
		}
	}
}

// add puts the beginning of a line on the page, of which length is the whole.
func (p *page) add(line []byte, length int64) {
	p.shown++
	text := string(line)
	whole := length == int64(len(line))
	if !whole {
		text = head(text, MaxLine)
	}
	if !utf8.ValidString(text) {
		p.broken++
	}
	p.text.WriteString(text)
	if !whole {
		p.cut = append(p.cut, p.line)
		fmt.Fprintf(&p.text, "… [cut: %s of %s]\n", count(int64(len(text)), "byte"), size(length))
	}
}

// readLine reads a line with its end and returns at most its first keep bytes,
// valid until the next call, and its length. A line that is not longer than keep
// without its end is whole. At the end of the file the length is 0.
func readLine(ctx context.Context, r *bufio.Reader, keep int) (line []byte, length int64, err error) {
	keep += len("\r\n")
	for {
		part, err := r.ReadSlice('\n')
		length += int64(len(part))
		if err == nil && line == nil && len(part) <= keep {
			return part, length, nil // nearly always
		}
		if room := keep - len(line); room > 0 {
			line = append(line, part[:min(room, len(part))]...)
		}
		if err != bufio.ErrBufferFull {
			return line, length, err
		}
		if ctx.Err() != nil {
			return nil, length, ctx.Err()
		}
	}
}

// countLimit is how many bytes of a file are read only to count its lines.
const countLimit = 16 << 20

// result is the page with what is to be said of it.
func (p *page) result(f *os.File, length int64) Result {
	if p.shown == 0 && p.line > 0 {
		return failed(fmt.Errorf("%q has only %s; offset %d is behind its end", p.name, count(int64(p.line), "line"), p.offset))
	}
	total := p.line
	if p.more {
		total = 0
		if n, err := countLines(f, length); err == nil {
			total = n
		}
	}
	text := p.text.String()
	if p.line == 0 {
		text = "[the file is empty]"
	}
	if p.broken > 0 {
		text = notef(text, "%s not UTF-8; the bytes that are not are shown as U+FFFD", isAre(p.broken))
	}
	if len(p.cut) > 0 {
		text = notef(text, "%s cut; see line %d whole with bash: sed -n %dp FILE | cut -b %d-",
			isAre(len(p.cut)), p.cut[0], p.cut[0], MaxLine+1)
	}
	if p.more {
		of := ""
		if total > 0 {
			of = fmt.Sprintf(" of %d", total)
		}
		text = notef(text, "lines %d to %d%s; go on with offset %d", p.line-p.shown+1, p.line, of, p.line+1)
	}
	return said(text, struct {
		Path       string `json:"path"`
		FirstLine  int    `json:"firstLine"`
		Lines      int    `json:"lines"`
		TotalLines int    `json:"totalLines"`
		Truncated  bool   `json:"truncated"`
	}{clean(p.name), p.line - p.shown + 1, p.shown, total, p.more || len(p.cut) > 0})
}

// isAre is a number of lines as a subject.
func isAre(n int) string {
	if n == 1 {
		return "1 line is"
	}
	return fmt.Sprintf("%d lines are", n)
}

// countLines counts the lines of a file that is not too large for it.
func countLines(f *os.File, length int64) (int, error) {
	if length > countLimit {
		return 0, errors.New("too large")
	}
	buf := make([]byte, 64<<10)
	n, at, last := 0, int64(0), byte('\n')
	for at < countLimit {
		got, err := f.ReadAt(buf, at)
		for _, c := range buf[:got] {
			if c == '\n' {
				n++
			}
		}
		if got > 0 {
			last = buf[got-1]
		}
		at += int64(got)
		if err == io.EOF {
			if last != '\n' {
				n++
			}
			return n, nil
		}
		if err != nil {
			return 0, err
		}
	}
	return 0, errors.New("too large")
}
