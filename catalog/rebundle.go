package catalog

import (
	"cmp"
	"encoding/binary"
	"slices"
)

const (
	// bundleFull is how many bytes a bundle may have that grew, if it has more
	// than one record; bundleUsual those of one that is cut off.
	bundleFull  = 12 << 10
	bundleUsual = 9 << 10
)

// Rebundle returns what an index is to keep instead of a bundle (nil for none):
// with these records of files of its directory in place of what it has of them or
// besides, and without those of the names in gone. The names in one bundle are
// before those in the next. Of what it says of other files nothing is changed nor
// looked at. A bundle of another form, or damaged, counts for none.
func Rebundle(old Bundle, records []Record, gone []string) []Bundle {
	parts := old.parts()
	byName := func(a, b part) int { return cmp.Compare(a.name, b.name) }
	put := make([]part, 0, len(records)+len(gone))
	for i := range records {
		put = append(put, part{path: records[i].Path, name: base(records[i].Path), record: &records[i]})
	}
	for _, name := range gone {
		put = append(put, part{name: name})
	}
	slices.SortStableFunc(put, byName)
	all, atEnd := make([]part, 0, len(parts)+len(put)), false
	for len(parts) > 0 || len(put) > 0 {
		switch {
		case len(put) == 0 || len(parts) > 0 && parts[0].name < put[0].name:
			all, parts = append(all, parts[0]), parts[1:]
			continue
		case len(parts) > 0 && parts[0].name == put[0].name:
			parts = parts[1:]
		}
		if len(put) > 1 && put[1].name == put[0].name {
			put = put[1:] // the last one counts
			continue
		}
		if put[0].record != nil {
			all, atEnd = append(all, put[0]), len(parts) == 0
		}
		put = put[1:]
	}
	return bundled(old, all, atEnd)
}

// A part is what becomes a record of a bundle: one that is new, or one of the old.
type part struct {
	path   string // "" for a file that is gone
	name   string
	record *Record
	brief  brief // without a record
	body   []byte
}

// parts returns what a bundle has.
func (b Bundle) parts() (all []part) {
	if len(b) == 0 || !b.sound() {
		return nil
	}
	words := b.wordCount()
	for n := range b.len() {
		p := part{brief: b.brief(n)}
		path, rest := b.body(n)
		name := b.name(n)
		if path == nil || n > 0 && alias(name) <= all[n-1].name || int(slices.Max(p.brief.words[:])) >= words && p.brief.flags&briefNone == 0 {
			return nil
		}
		p.path, p.name, p.body = alias(path), alias(name), rest
		all = append(all, p)
	}
	return all
}

// bundled packs parts. What grew at its end is full before the next begins, as the
// names of sessions begin with the time; else they are about equal.
func bundled(old Bundle, all []part, atEnd bool) (bundles []Bundle) {
	total := 0
	sizes := make([]int, len(all))
	for i := range all {
		sizes[i] = all[i].size()
		total += sizes[i]
	}
	usual := bundleUsual
	switch {
	case total <= bundleFull && len(all) <= maxRecords:
		usual = bundleFull
	case !atEnd:
		usual = total/(1+total/bundleFull) + 1
	}
	for len(all) > 0 {
		n, size := 0, 0
		for n < len(all) && n < maxRecords && (n == 0 || size+sizes[n] <= usual) {
			size += sizes[n]
			n++
		}
		bundles = append(bundles, bundle(old, all[:n], size))
		all, sizes = all[n:], sizes[n:]
	}
	return bundles
}

// size is about how many bytes a part takes.
func (p *part) size() int {
	if r := p.record; r != nil {
		i := &r.Info
		n := 150 + len(p.path) + len(i.Parent) + len(i.Title) + len(i.FirstMessage) + len(i.Detail)
		for _, tip := range i.Tips {
			n += 1 + len(tip)
		}
		return n
	}
	return briefBytes + 2 + len(p.path) + len(p.body)
}

// bundle packs parts into one.
func bundle(old Bundle, all []part, size int) Bundle {
	words := lexicon{old: old}
	b := make(Bundle, headBytes+len(all)*briefBytes, headBytes+size+256)
	b[0] = bundleForm
	binary.LittleEndian.PutUint32(b[4:], uint32(len(all)))
	binary.LittleEndian.PutUint32(b[12:], uint32(len(all[0].path)-len(all[0].name)))
	for n := range all {
		p := &all[n]
		m := p.brief
		m.body = uint32(len(b))
		if r := p.record; r != nil {
			m = briefOf(r, p.name)
			m.body = uint32(len(b))
			if i := &r.Info; !r.None {
				for k, word := range [...]string{agentWord: string(i.Agent), cwdWord: i.CWD, statusWord: string(i.Status), modelWord: i.Model} {
					m.words[k] = words.number(word)
				}
			}
			b = appendBody(b, r)
		} else {
			if m.flags&briefNone == 0 {
				for k, word := range m.words {
					m.words[k] = words.again(word)
				}
			}
			b = binary.AppendUvarint(b, uint64(len(p.path)))
			b = append(b, p.path...)
			b = append(b, p.body...)
		}
		m.put(b[headBytes+n*briefBytes:])
	}
	return words.append(b)
}

// briefOf returns the brief of a record, but for its words and its body's place.
func briefOf(r *Record, name string) brief {
	m := brief{hash: hashName([]byte(name)), stamp: r.Stamp}
	if r.None {
		m.flags = briefNone
		return m
	}
	m.modified = r.Info.Modified.UnixNano()
	if r.Info.Damaged {
		m.flags |= briefDamaged
	}
	if r.Info.hollow() {
		m.flags |= briefEmpty
	}
	return m
}

// A lexicon is the words of a bundle being made.
type lexicon struct {
	old   Bundle
	new   []int32 // by the number in the old bundle, -1 for none yet
	words []string
}

// number returns the number of a word.
func (l *lexicon) number(word string) uint16 {
	n := slices.Index(l.words, word)
	if n < 0 {
		n, l.words = len(l.words), append(l.words, word)
	}
	return uint16(n) // at most four for each of a few records
}

// again returns the number of what was a word of the old bundle.
func (l *lexicon) again(n uint16) uint16 {
	if l.new == nil {
		l.new = slices.Repeat([]int32{-1}, l.old.wordCount())
	}
	if l.new[n] < 0 {
		word, _ := l.old.word(n) // it is there: see parts
		l.new[n] = int32(l.number(word))
	}
	return uint16(l.new[n])
}

// append writes the words behind a bundle.
func (l *lexicon) append(b Bundle) Bundle {
	at := len(b)
	binary.LittleEndian.PutUint32(b[8:], uint32(at))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(l.words)))
	end := uint32(at + 4 + 4*(len(l.words)+1))
	b = binary.LittleEndian.AppendUint32(b, end)
	for _, word := range l.words {
		end += uint32(len(word))
		b = binary.LittleEndian.AppendUint32(b, end)
	}
	for _, word := range l.words {
		b = append(b, word...)
	}
	return append(make(Bundle, 0, len(b)), b...) // what was foretold is too much
}
