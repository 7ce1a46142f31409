package tool

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// An output takes what a command writes, of any length, in little memory: the
// end is kept, all of it goes to an artifact as soon as it is more than a result
// may have, and pieces of it to whoever looks. It is used by one goroutine.
type output struct {
	ctx context.Context
	env Env
	// limit is how much the artifact may have.
	limit int64

	// kept is the end of what came, all of it until there is more than keep.
	kept  []byte
	total int64
	// ends is the number of line ends in total.
	ends int64

	artifact io.WriteCloser
	path     string
	stored   int64
	full     bool  // the artifact has no more room
	tried    bool  // an artifact was asked for
	err      error // why there is no artifact, or not all of one
	news     news
}

// keep is how much of the end is kept at least. There may be escape sequences in
// it that are not shown, so it is more than MaxBytes.
const keep = 4 * MaxBytes

// copy takes all of r.
func (o *output) copy(r io.Reader) {
	buf := make([]byte, 32<<10)
	o.kept = make([]byte, 0, 2*keep)
	o.news.tell = o.env.Update
	for {
		n, err := r.Read(buf)
		o.take(buf[:n])
		if err != nil {
			break
		}
	}
	o.news.flush(true)
	if o.artifact != nil {
		if err := o.artifact.Close(); err != nil && o.err == nil {
			o.err = err
		}
	}
}

func (o *output) take(data []byte) {
	if len(data) == 0 {
		return
	}
	o.total += int64(len(data))
	o.ends += int64(bytes.Count(data, []byte{'\n'}))
	if !o.tried && (o.total > MaxBytes || o.ends > MaxLines) {
		o.create()
	}
	o.store(data)
	if len(o.kept)+len(data) > cap(o.kept) {
		o.kept = o.kept[:copy(o.kept, o.kept[len(o.kept)-min(keep, len(o.kept)):])]
	}
	o.kept = append(o.kept, data...)
	o.news.add(data, o.total)
}

// create begins the artifact with what came until now, which is still whole.
func (o *output) create() {
	o.tried = true
	if o.env.Artifact == nil {
		return
	}
	if o.path, o.artifact, o.err = o.env.Artifact(o.ctx, "bash"); o.err != nil {
		o.path, o.artifact = "", nil
		return
	}
	o.store(o.kept)
}

// store adds to the artifact as far as there is room.
func (o *output) store(data []byte) {
	if o.artifact == nil || o.err != nil || o.full {
		return
	}
	if room := o.limit - o.stored; int64(len(data)) > room {
		data, o.full = data[:room], true
	}
	n, err := o.artifact.Write(data)
	o.stored += int64(n)
	o.err = err
}

// tail is the end of the output as a model sees it, without escape sequences,
// and whether it is not all.
func (o *output) tail() (text string, cut bool) {
	raw := o.kept
	cut = o.total > int64(len(raw))
	text = ansi.Strip(clean(string(raw)))
	if len(text) > MaxBytes {
		text, cut = text[len(text)-MaxBytes:], true
		for len(text) > 0 && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	if cut {
		// Begin with a whole line if one begins here.
		if i := strings.IndexByte(text, '\n'); i >= 0 && i+1 < len(text) {
			text = text[i+1:]
		}
	}
	for at, n := len(text)-1, 0; at > 0; at-- {
		if text[at-1] != '\n' {
			continue
		}
		if n++; n == MaxLines {
			text, cut = text[at:], true
			break
		}
	}
	return text, cut
}

// notes say of a text that was cut what it is, and where the whole is.
func (o *output) notes(text string, cut bool) []string {
	if !cut {
		return nil
	}
	lines := o.ends
	if len(o.kept) > 0 && o.kept[len(o.kept)-1] != '\n' {
		lines++
	}
	notes := []string{fmt.Sprintf("the last %s of %s: %s of %s", count(int64(len(splitLines(text))), "line"),
		count(lines, "line"), size(int64(len(text))), size(o.total))}
	switch {
	case o.path == "" && o.err != nil:
		notes = append(notes, fmt.Sprintf("the whole output could not be kept: %v", because(o.err)))
	case o.path == "":
		notes = append(notes, "the whole output is not kept; send it to a file to see more of it")
	case o.err != nil:
		notes = append(notes, fmt.Sprintf("the first %s are in %s; then: %v", size(o.stored), o.path, because(o.err)))
	case o.full:
		notes = append(notes, fmt.Sprintf("the first %s, which is the most that is kept, are in %s", size(o.stored), o.path))
	default:
		notes = append(notes, "the whole output is in "+o.path)
	}
	return notes
}

// news tells somebody who looks of output as it comes. The more there was, the
// larger are the pieces, and of large ones only the end is told: a gigabyte makes
// some thousand pieces.
type news struct {
	tell    func(string)
	pending []byte
	// left is how much was left out before pending.
	left  int64
	total int64
}

// The sizes of pieces: each is at least 1/newsShare of all output until then,
// but no more than newsStep must have come for one; newsPiece is the most of it
// that is told.
const (
	newsShare = 256
	newsStep  = 1 << 20
	newsPiece = 16 << 10
)

func (n *news) add(data []byte, total int64) {
	if n.tell == nil {
		return
	}
	n.total = total
	n.pending = append(n.pending, data...)
	if over := len(n.pending) - newsPiece; over > 0 {
		n.left += int64(over)
		n.pending = n.pending[:copy(n.pending, n.pending[over:])]
	}
	if n.left+int64(len(n.pending)) >= min(total/newsShare, newsStep) {
		n.flush(false)
	}
}

// flush tells what there is. A rune that is not complete waits for its rest,
// unless this is the end.
func (n *news) flush(end bool) {
	if n.tell == nil || len(n.pending) == 0 {
		return
	}
	whole := len(n.pending)
	if !end {
		whole -= partial(n.pending)
	}
	if whole == 0 {
		return
	}
	text := clean(string(n.pending[:whole]))
	if n.left > 0 {
		// The first line is a piece of one.
		if _, rest, ok := strings.Cut(text, "\n"); ok {
			text = rest
		}
		text = fmt.Sprintf("\n[%s left out]\n%s", size(n.left), text)
	}
	n.tell(text)
	n.left = 0
	n.pending = n.pending[:copy(n.pending, n.pending[whole:])]
}

// partial returns how many bytes at the end are the beginning of a rune.
func partial(data []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		c := data[len(data)-n]
		if utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(data[len(data)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
