package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/message"
	"github.com/dustin/go-humanize"
	"github.com/go-json-experiment/json"
)

// said is a result of text; details may be nil.
func said(text string, details any) Result {
	r := Result{Content: []message.Block{&message.TextBlock{Text: clean(text)}}}
	if details == nil {
		return r
	}
	raw, err := json.Marshal(details, json.Deterministic(true))
	if err != nil {
		panic("tool: details that are not JSON: " + err.Error())
	}
	r.Details = raw
	return r
}

// failed is the result of a call that could not be done.
func failed(err error) Result {
	r := said(err.Error(), nil)
	r.IsError = true
	return r
}

// failedIn is failed, but says that the call was stopped where ctx has ended.
func failedIn(ctx context.Context, err error) Result {
	if ctx.Err() != nil {
		err = errors.New("stopped before it was done")
	}
	return failed(err)
}

// because is the cause alone of an error of the file system.
func because(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno):
		return errno
	case errors.Is(err, fs.ErrNotExist):
		return fs.ErrNotExist
	}
	return err
}

// clean makes text fit for a model and for JSON: what is not UTF-8 becomes
// U+FFFD, and so does NUL, which providers refuse.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	return strings.ReplaceAll(text, "\x00", "\uFFFD")
}

// cleanName is a file's name on a line of its own: quoted, as Go does, when it
// could be taken for something else.
func cleanName(name string) string {
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.Quote(name)
	}
	return name
}

// size is a number of bytes for people and models.
func size(n int64) string {
	if n < 1<<10 {
		return count(n, "byte")
	}
	return humanize.IBytes(uint64(n))
}

// count is a number of things.
func count(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if strings.HasSuffix(thing, "y") {
		thing = strings.TrimSuffix(thing, "y") + "ie"
	} else if strings.HasSuffix(thing, "ch") {
		thing += "e"
	}
	return humanize.Comma(n) + " " + thing + "s"
}

// head returns at most n bytes of the beginning of text, not within a rune.
func head(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for i := n; i > n-utf8.UTFMax && i > 0; i-- {
		if utf8.RuneStart(text[i]) {
			return text[:i]
		}
	}
	return text[:n]
}

// listing gathers lines for a result and stops at the limits of one.
type listing struct {
	b     strings.Builder
	lines int
	full  bool
}

// add takes a line and reports whether it still fitted.
func (l *listing) add(line string) bool {
	if l.full || l.lines == MaxLines || l.b.Len()+len(line)+1 > MaxBytes {
		l.full = true
		return false
	}
	l.b.WriteString(line)
	l.b.WriteByte('\n')
	l.lines++
	return true
}

// notef adds a remark in brackets to a text of lines.
func notef(text, format string, args ...any) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + "[" + fmt.Sprintf(format, args...) + "]"
}
