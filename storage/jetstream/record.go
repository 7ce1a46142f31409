package jetstream

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/storage"
)

// header is what the record of a message stands in.
const header = "Cambium"

// Kinds of messages.
const (
	data   = 'd' // lines, the last message of an append
	part   = 'p' // lines, to be put before those of the next message
	moved  = 'm' // the log has the name in the body now
	held   = 'h' // a replacement is about to seal the content: writers wait a while
	sealed = 's' // another content took the place of this one, or none did
	named  = 'n' // a name has a log
	free   = 'x' // a name has none any more, or a content is in use
	dead   = 'o' // a content that nobody needs, unless it is used later
)

// A head is what a log amounts to behind a message: what the record of each
// message of a content says. Parts and what is no lines repeat that of before.
type head struct {
	ref    ref    // the content; not in the record
	seq    uint64 // of the message; not in the record
	kind   byte
	lines  uint64
	bytes  uint64
	token  uint64 // of the append that ended there
	last   uint64 // sequence of the last message with lines
	naming uint64 // sequence of the last message of kind moved
	mtime  int64  // when the last lines came
	extra  string // of a part: the token of its append; of data: how many parts; sealed: the next content
	body   []byte // of the message; nil in a listing
}

// A ref is the end of a content's subject: its project and its number.
type ref struct {
	project uint32
	content uint64
}

func (r ref) String() string { return fmt.Sprintf("%08x.%016x", r.project, r.content) }

func parseRef(text string) (r ref, err error) {
	project, content, ok := strings.Cut(text, ".")
	p, err1 := strconv.ParseUint(project, 16, 32)
	c, err2 := strconv.ParseUint(content, 16, 64)
	if !ok || err1 != nil || err2 != nil {
		return ref{}, errRecord
	}
	return ref{uint32(p), c}, nil
}

// errRecord is a message that this package did not write.
var errRecord = errors.New("a message in the stream is not this program's")

// record returns what the header says. seq and last of lines are the server's to
// know.
func (h *head) record() string {
	last, mtime := h.last, h.mtime
	if h.kind == data {
		last, mtime = 0, 0
	}
	return fmt.Sprintf("%c %x %x %x %x %x %x %s", h.kind, h.lines, h.bytes, h.token, last, h.naming, mtime, h.extra)
}

// parseHead reads the record of a message of a content.
func parseHead(r ref, m *message) (*head, error) {
	f := strings.Split(m.record, " ")
	if len(f) != 8 || len(f[0]) != 1 {
		return nil, errRecord
	}
	var n [6]uint64
	for i := range n {
		var err error
		if n[i], err = strconv.ParseUint(f[i+1], 16, 64); err != nil {
			return nil, errRecord
		}
	}
	h := &head{
		ref: r, seq: m.seq, kind: f[0][0], lines: n[0], bytes: n[1], token: n[2], last: n[3], naming: n[4],
		mtime: int64(n[5]), extra: f[7], body: m.data,
	}
	switch h.kind {
	case data:
		h.last, h.mtime = m.seq, m.time.UnixNano()
	case moved:
		h.naming = m.seq
	case part, held, sealed:
	default:
		return nil, errRecord
	}
	return h, nil
}

// next is the content that took the place of a sealed one; ok is false if none
// did.
func (h *head) next() (r ref, ok bool) {
	r, err := parseRef(h.extra)
	return r, err == nil
}

func (h *head) mark() storage.Mark {
	return seen{h.ref.content, h.last, uint32(h.token), uint32(h.lines), h.bytes}.mark()
}

func (h *head) info(name string) storage.Info {
	return storage.Info{Name: name, Mark: h.mark(), Size: int64(h.bytes), ModTime: h.mtime, Mode: 0o600}
}

// seen is what a mark stands for.
type seen struct {
	content, last uint64
	token, lines  uint32
	bytes         uint64
}

func (s seen) mark() storage.Mark {
	return storage.MakeMark([4]uint64{s.content, s.last, uint64(s.token)<<32 | uint64(s.lines), s.bytes})
}

func seenOf(m storage.Mark) seen {
	w := m.Words()
	return seen{w[0], w[1], uint32(w[2] >> 32), uint32(w[2]), w[3]}
}

// A message is one as the server stores it.
type message struct {
	subject string
	seq     uint64
	time    time.Time
	record  string // "" if it has none
	data    []byte
	deleted bool // a mark of deletion in a bucket
}

// recordOf finds the record in the header of a message as it is sent.
func recordOf(raw []byte, key string) string {
	_, rest, found := bytes.Cut(raw, []byte("\r\n"+key+": "))
	if !found {
		return ""
	}
	value, _, _ := bytes.Cut(rest, []byte("\r\n"))
	return string(value)
}
