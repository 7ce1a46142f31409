package spelling

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// Sanitize returns a title as the dialect stores it: pi makes each run of line
// breaks one blank and trims; the others make each control character (C0, DEL,
// C1) a blank, each run of blanks one, and trim. Trimming is JavaScript's.
func (d Dialect) Sanitize(title string) string {
	isBreak := func(r rune) bool { return r < ' ' || r >= 0x7f && r <= 0x9f || r == ' ' }
	if d.LineTitle {
		isBreak = func(r rune) bool { return r == '\r' || r == '\n' }
	}
	var b strings.Builder
	before := false
	for _, r := range title {
		now := isBreak(r)
		switch {
		case !now:
			b.WriteRune(r)
		case !before:
			b.WriteByte(' ')
		}
		before = now
	}
	return trim(b.String())
}

// Rename returns the title that a session gets when it is asked to take name
// from source, and whether it takes it: the empty title is refused where it is
// not allowed, and so is an automatic one where the present one is the user's.
func (d Dialect) Rename(name, source, present string) (string, bool) {
	title := d.Sanitize(name)
	if title == "" && !d.EmptyTitle {
		return "", false
	}
	return title, !d.KeepUserTitle || source != dialect.AutoTitle || present != dialect.UserTitle
}

// TitleBody returns the entry that a rename appends, nil where the dialect has
// none. previous is the title before, trigger what asked for the change; either
// may be "".
func (d Dialect) TitleBody(title, source, previous, trigger string) entry.Body {
	switch {
	case d.NameByEntry:
		return &entry.SessionInfoBody{Name: title}
	case d.TitleChange:
		return &entry.TitleChangeBody{Title: title, Source: source, PreviousTitle: previous, Trigger: trigger}
	}
	return nil
}

// Title returns the title that a session has, "" for none, and its source, ""
// where that is not recorded. What the dialect itself writes wins: the title
// slot, then the header; for pi the latest session_info entry of the whole file.
// A session without that is given what another program may have written in it.
// The error is of a line that could not be loaded.
func (d Dialect) Title(h *entry.Header, l *entry.List) (title, source string, err error) {
	title, source = h.Effective()
	if !d.NameByEntry && (title != "" || h.Slot != nil) {
		return title, source, nil
	}
	name, found, err := SessionName(l)
	if err != nil || !found {
		return title, source, err
	}
	return name, dialect.UserTitle, nil
}

// SessionName returns the name that the latest session_info entry in file order
// gives, on whatever branch, trimmed; "" where it clears the name. It reports
// false when there is no such entry (pi 0.87.1). The error is of the line that
// could not be loaded.
func SessionName(l *entry.List) (name string, found bool, err error) {
	for i := l.Len() - 1; i >= 0 && l.Has(entry.SessionInfo); i-- {
		if l.Kind(i) != entry.SessionInfo {
			continue
		}
		line, err := l.Load(i)
		if err != nil {
			return "", false, err
		}
		name, _ = jsonedit.Text(line, "name")
		return trim(name), true, nil
	}
	return "", false, nil
}

// SlotLen is the length of a title slot in bytes, its newline included.
const SlotLen = 256

// ParseSlot reads a line as omp's title slot and reports whether it is one: an
// object of type "title" with v 1, strings title, updatedAt and pad, and a source,
// if any, of "auto" or "user". The length is not checked but returned; line may
// or may not have its newline, which is counted either way (omp 18.2.3).
func ParseSlot(line []byte) (entry.Slot, bool) {
	body := bytes.TrimSuffix(line, []byte("\n"))
	var e entry.Envelope
	if e.Scan(body) != nil || e.Kind != entry.Title {
		return entry.Slot{}, false
	}
	v, _ := jsonedit.Get(body, "v")
	version, isNumber := jsonedit.Number(v)
	title, ok1 := jsonedit.Text(body, "title")
	updated, ok2 := jsonedit.Text(body, "updatedAt")
	_, ok3 := jsonedit.Text(body, "pad")
	if !isNumber || version != 1 || !ok1 || !ok2 || !ok3 {
		return entry.Slot{}, false
	}
	s := entry.Slot{Title: title, UpdatedAt: updated, Len: len(body) + 1}
	if raw, ok := jsonedit.Get(body, "source"); ok {
		s.Source, _ = jsonedit.String(raw)
		if s.Source != dialect.AutoTitle && s.Source != dialect.UserTitle {
			return entry.Slot{}, false
		}
	}
	return s, true
}

// FormatSlot returns a title slot of exactly [SlotLen] bytes. A title that does
// not fit is cut to its longest beginning of whole characters that does. source
// other than "auto" and "user" is left out, and an updatedAt that is longer than
// any time is left empty (omp 18.2.3).
func FormatSlot(title, source, updatedAt string) [SlotLen]byte {
	if len(jsonedit.Quote(nil, updatedAt)) > len(`"+275760-09-13T00:00:00.000Z"`) {
		updatedAt = ""
	}
	line := slotLine("", source, updatedAt, 0)
	room := SlotLen - len(line) - 1
	cut := 0
	for size := 0; cut < len(title); {
		r, n := utf8.DecodeRuneInString(title[cut:])
		if size += len(jsonedit.Quote(nil, string(r))) - len(`""`); size > room {
			break
		}
		cut += n
	}
	title = strings.ToValidUTF8(title[:cut], "\uFFFD")
	line = slotLine(title, source, updatedAt, 0)
	line = slotLine(title, source, updatedAt, SlotLen-len(line)-1)
	var slot [SlotLen]byte
	copy(slot[:], append(line, '\n'))
	return slot
}

func slotLine(title, source, updatedAt string, pad int) entry.JSON {
	var o jsonedit.Object
	o.String("type", "title").Int("v", 1).String("title", title)
	if source == dialect.AutoTitle || source == dialect.UserTitle {
		o.String("source", source)
	}
	return o.String("updatedAt", updatedAt).String("pad", strings.Repeat(" ", pad)).Value()
}

// trim trims as String.prototype.trim does.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return r == '\uFEFF' || r != '\u0085' && unicode.IsSpace(r)
	})
}
