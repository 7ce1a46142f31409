package catalog

import (
	"encoding/binary"
	"hash/crc32"
	"iter"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/varint"
)

// A Bundle is the records of some files of one directory, packed for an index to
// keep. It begins with a brief of each, all of one length, which are looked at
// where they stand; what else there is to say of a session is read when somebody
// asks for it. A bundle is not changed: [Rebundle] makes others of it.
//
// Behind a header of 16 bytes (form, count, where the words begin, how long the
// directory's path is with its slash) come the briefs
// of 64 bytes in the order of the files' names, the bodies, and the words: texts
// that records share. All numbers of fixed length are little endian.
type Bundle []byte

const (
	// bundleForm is the form of bundles. A change of what a listing says of the
	// same bytes is a new form too: then everything is read again.
	bundleForm = 3
	headBytes  = 16
	briefBytes = 64
	// maxRecords is how many records a bundle has at most.
	maxRecords = 256
)

// A brief is what a listing needs of a record before it is asked for the session,
// and all words.
type brief struct {
	stamp    source.Stamp
	modified int64 // nanoseconds since 1970
	hash     uint32
	body     uint32 // where it begins
	flags    uint16
	words    [wordsOfBrief]uint16
}

// The words of a brief.
const (
	agentWord = iota
	cwdWord
	statusWord
	modelWord
	wordsOfBrief
)

// What the flags of a brief say.
const (
	briefNone = 1 << iota
	briefDamaged
	briefEmpty // it is hollow
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// hashName is the hash of a file's name that briefs have.
func hashName(name []byte) uint32 { return crc32.Checksum(name, castagnoli) }

// put writes a brief.
func (m *brief) put(b []byte) {
	le := binary.LittleEndian
	le.PutUint32(b, m.hash)
	le.PutUint32(b[4:], m.body)
	le.PutUint64(b[8:], m.stamp.Dev)
	le.PutUint64(b[16:], m.stamp.Ino)
	le.PutUint64(b[24:], uint64(m.stamp.Size))
	le.PutUint64(b[32:], uint64(m.stamp.ModTime))
	le.PutUint64(b[40:], uint64(m.modified))
	le.PutUint16(b[48:], m.flags)
	for n, word := range m.words {
		le.PutUint16(b[50+2*n:], word)
	}
}

// sound reports whether a bundle is of this form and holds as many briefs as it
// says.
func (b Bundle) sound() bool {
	return len(b) >= headBytes && b[0] == bundleForm && b.len() <= maxRecords && headBytes+b.len()*briefBytes <= len(b) &&
		int(b.words()) <= len(b)
}

// len returns how many records there are, in one that Rebundle made.
func (b Bundle) len() int { return int(binary.LittleEndian.Uint32(b[4:])) }

// words is where the words begin.
func (b Bundle) words() uint32 { return binary.LittleEndian.Uint32(b[8:]) }

// hash returns the hash of the name of record n.
func (b Bundle) hash(n int) uint32 {
	return binary.LittleEndian.Uint32(b[headBytes+n*briefBytes:])
}

// brief returns that of record n.
func (b Bundle) brief(n int) brief {
	le := binary.LittleEndian
	m := b[headBytes+n*briefBytes:][:briefBytes]
	all := brief{
		hash: le.Uint32(m), body: le.Uint32(m[4:]),
		stamp:    source.Stamp{Dev: le.Uint64(m[8:]), Ino: le.Uint64(m[16:]), Size: int64(le.Uint64(m[24:])), ModTime: int64(le.Uint64(m[32:]))},
		modified: int64(le.Uint64(m[40:])), flags: le.Uint16(m[48:]),
	}
	for n := range all.words {
		all.words[n] = le.Uint16(m[50+2*n:])
	}
	return all
}

// body returns the path of the file of record n, and what follows it of the
// record; nil for one that is damaged.
func (b Bundle) body(n int) (path, rest []byte) {
	le := binary.LittleEndian
	from, to := le.Uint32(b[headBytes+n*briefBytes+4:]), b.words()
	if n+1 < b.len() {
		to = le.Uint32(b[headBytes+(n+1)*briefBytes+4:])
	}
	if from > to || int(to) > len(b) {
		return nil, nil
	}
	p := varint.Reader{Rest: b[from:to]}
	if path = p.Part(); len(path) < b.dirLen() {
		return nil, nil
	}
	return path, p.Rest
}

// dirLen is how long the path of the directory is, with a slash at its end.
func (b Bundle) dirLen() int { return int(binary.LittleEndian.Uint32(b[12:])) }

// path returns the path of the file of record n.
func (b Bundle) path(n int) []byte {
	path, _ := b.body(n)
	return path
}

// name returns the name of the file of record n.
func (b Bundle) name(n int) []byte {
	path, _ := b.body(n)
	return path[min(b.dirLen(), len(path)):]
}

// of reports whether record n is of the file of that name in a directory.
func (b Bundle) of(n int, dir string, name []byte) bool {
	path, _ := b.body(n)
	at := b.dirLen()
	return path != nil && at == len(dir)+1 && string(path[:at-1]) == dir && path[at-1] == '/' && string(path[at:]) == string(name)
}

// word returns a text that records share, by its number; false when there is none.
// It aliases the bundle.
func (b Bundle) word(n uint16) (string, bool) {
	le, at := binary.LittleEndian, int(b.words())
	if at+4 > len(b) || uint32(n) >= le.Uint32(b[at:]) || (len(b)-at)/4 < int(n)+3 {
		return "", false
	}
	ends := b[at+4:]
	from, to := le.Uint32(ends[4*int(n):]), le.Uint32(ends[4*int(n)+4:])
	if from > to || int(to) > len(b) {
		return "", false
	}
	return alias(b[from:to]), true
}

// wordCount returns how many words there are.
func (b Bundle) wordCount() int {
	at := int(b.words())
	if at+4 > len(b) {
		return 0
	}
	return min(int(binary.LittleEndian.Uint32(b[at:])), (len(b)-at)/4)
}

// A reading is a record that is being read, in steps: what each needs is somewhere
// else in memory, and of several records it is fetched at once.
type reading struct {
	bundle     Bundle
	n          int
	brief      brief
	path, rest []byte
	words      [wordsOfBrief]string
	ok         bool
}

// begin reads the brief.
func (r *reading) begin(b Bundle, n int) {
	*r = reading{bundle: b, n: n, brief: b.brief(n)}
}

// find finds the body and the words.
func (r *reading) find() {
	r.path, r.rest = r.bundle.body(r.n)
	if r.ok = r.path != nil; r.brief.flags&briefNone != 0 {
		return
	}
	for k, n := range r.brief.words {
		word, ok := r.bundle.word(n)
		r.words[k], r.ok = word, r.ok && ok
	}
}

// info describes the session; false when the record is damaged. Texts alias the
// bundle.
func (r *reading) info() (Info, bool) {
	if !r.ok {
		return Info{}, false
	}
	path := alias(r.path)
	if r.brief.flags&briefNone != 0 {
		return Info{Path: path}, len(r.rest) == 0
	}
	i := Info{
		Path: path, CWD: r.words[cwdWord], Agent: dialect.Name(r.words[agentWord]), Status: Status(r.words[statusWord]),
		Model: r.words[modelWord], Modified: unix(r.brief.modified), Damaged: r.brief.flags&briefDamaged != 0,
	}
	return i, parseBody(&i, r.rest, &r.brief.stamp)
}

// info describes the session of record n; false when the record is damaged. Texts
// alias the bundle.
func (b Bundle) info(n int) (Info, bool) {
	var r reading
	r.begin(b, n)
	r.find()
	return r.info()
}

// First returns the name of the first file, "" when there is none.
func (b Bundle) First() string {
	if !b.sound() || b.len() == 0 {
		return ""
	}
	return string(b.name(0))
}

// Records yields the records, in the order of their files' names, that can be read:
// all, unless the bundle is of another form or damaged. They alias it.
func (b Bundle) Records() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		if !b.sound() {
			return
		}
		for n := range b.len() {
			m := b.brief(n)
			info, ok := b.info(n)
			if ok && !yield(Record{Path: info.Path, Stamp: m.stamp, None: m.flags&briefNone != 0, Info: info}) {
				return
			}
		}
	}
}
