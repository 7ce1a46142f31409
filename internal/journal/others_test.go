package journal_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

var histories = flag.Int("histories", 200, "how many histories TestOthersWrite plays")

// A shared is a log that two journals write, one reads, and other programs write
// to in every way that a file can be written.
type shared struct {
	t       *testing.T
	seed    int
	dice    *rand.Rand
	disk    *crashfs.FS
	store   storage.Store
	writers []*journal.Journal
	reader  *journal.Journal
	acked   []map[string]bool // ids, by writer
	next    int
	pending []byte // what a program has cut its log short for, and not written yet
	was     []byte // the log at some time before, as a program has it in memory
	story   []string
}

const sharedName = "/d/s.jsonl"

func newShared(t *testing.T, seed int) *shared {
	s := &shared{t: t, seed: seed, dice: rand.New(rand.NewPCG(uint64(seed), 1)), disk: crashfs.New()}
	s.store = local.New(vfs.On(local.Options{}, s.disk))
	s.must(s.disk.Mkdir("/d"))
	text := header + "\n"
	for n, parent := s.dice.IntN(20), ""; n >= 0; n-- {
		id := s.id()
		text += user(id, parent, s.text()) + "\n"
		parent = id
	}
	s.put(sharedName, []byte(text))
	s.was = []byte(text)
	for range 2 {
		s.writers = append(s.writers, s.open(true))
		s.acked = append(s.acked, map[string]bool{})
	}
	s.reader = s.open(false)
	return s
}

func (s *shared) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("history %d: %v\n%s", s.seed, err, strings.Join(s.story, "\n"))
	}
}

func (s *shared) failf(format string, args ...any) {
	s.t.Helper()
	s.must(fmt.Errorf(format, args...))
}

func (s *shared) id() string { s.next++; return fmt.Sprintf("%08x", s.next) }

func (s *shared) text() string { return strings.Repeat("x", s.dice.IntN(2000)) }

func (s *shared) open(write bool) *journal.Journal {
	j, err := journal.Open(s.t.Context(), journal.Options{Store: s.store, Name: sharedName, Write: write,
		// A program that has cut its log short goes on as soon as it is waited for.
		Rest: func(context.Context) error { s.finish(); return nil }})
	s.must(err)
	return j
}

// read returns what the log holds, and false if it is not there.
func (s *shared) read() ([]byte, bool) {
	f, err := s.disk.Open(sharedName, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	s.must(err)
	info, err := f.Stat()
	s.must(err)
	data := make([]byte, info.Size)
	_, err = f.ReadAt(data, 0)
	if len(data) > 0 {
		s.must(err)
	}
	s.must(f.Close())
	return data, true
}

func (s *shared) put(name string, data []byte) {
	f, err := s.disk.Open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	s.must(err)
	s.write(f, 0, data)
	s.must(f.Close())
}

func (s *shared) write(f vfs.File, off int64, data []byte) {
	_, err := f.WriteAt(data, off)
	s.must(err)
}

// onto opens the log as another program does that has it open already.
func (s *shared) onto(write func(f vfs.File)) {
	f, err := s.disk.Open(sharedName, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	s.must(err)
	write(f)
	s.must(f.Close())
}

// finish has the program that cut its log short write it.
func (s *shared) finish() {
	if data := s.pending; data != nil {
		s.pending = nil
		s.onto(func(f vfs.File) { s.write(f, 0, data) })
	}
}

// edited returns the log with one thing changed.
func (s *shared) edited(data []byte) []byte {
	lines := bytes.SplitAfter(slices.Clone(data), []byte{'\n'})
	if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	if len(lines) < 2 {
		return data
	}
	n := 1 + s.dice.IntN(len(lines)-1)
	switch s.dice.IntN(6) {
	case 0: // longer
		lines[n] = bytes.Replace(lines[n], []byte(`"content":"`), []byte(`"content":"inserted`), 1)
	case 1: // as long
		lines[n] = bytes.Replace(lines[n], []byte("x"), []byte("y"), 1)
	case 2: // gone
		lines = slices.Delete(lines, n, n+1)
	case 3: // in another order
		k := 1 + s.dice.IntN(len(lines)-1)
		lines[n], lines[k] = lines[k], lines[n]
	case 4: // a blank before it
		lines[n] = append([]byte(" "), lines[n]...)
	}
	if data = bytes.Join(lines, nil); s.dice.IntN(2) == 0 { // and more behind it
		data = append(data, user(s.id(), "", s.text())+"\n"...)
	}
	return data
}

// others has another program do something to the log.
func (s *shared) others() string {
	data, there := s.read()
	if !there {
		return "nobody finds it"
	}
	if s.pending != nil {
		s.finish()
		return "the program goes on"
	}
	act := s.dice.IntN(9)
	if !bytes.HasPrefix(data, []byte(header+"\n")) {
		act = 0 // what no program knows as this session any more is saved beside it: see TestReplaced
	}
	switch act {
	case 0:
		s.onto(func(f vfs.File) { s.write(f, int64(len(data)), []byte(user(s.id(), "", s.text())+"\n")) })
		return "append"
	case 1:
		text := s.edited(data)
		s.onto(func(f vfs.File) { s.write(f, 0, text); s.must(f.Truncate(int64(len(text)))) })
		return "save in place"
	case 2:
		text := s.edited(s.was)
		s.onto(func(f vfs.File) { s.must(f.Truncate(0)) })
		s.pending = text
		return "save what was known before, in two steps"
	case 3:
		head := len(header) + 1
		s.onto(func(f vfs.File) { s.must(f.Truncate(int64(head + s.dice.IntN(len(data)-head+1)))) })
		return "cut short"
	case 4:
		s.put("/d/new", s.edited(data))
		s.must(s.disk.Rename("/d/new", sharedName))
		return "replace"
	case 5:
		s.must(s.disk.Link(sharedName, "/d/link"))
		s.must(s.disk.Remove(sharedName))
		s.must(s.disk.Rename("/d/link", sharedName))
		return "link"
	case 6:
		s.must(s.disk.Remove(sharedName))
		return "remove"
	case 7:
		s.was = data
		return "read"
	}
	s.must(s.disk.Rename(sharedName, "/d/away"))
	s.must(s.disk.Rename("/d/away", sharedName))
	return "away and back"
}

// held are the entries of a journal, by their lines.
func (s *shared) held(j *journal.Journal) ([]string, error) {
	list := j.List()
	var all []string
	for i := range list.Len() {
		line, err := list.Load(i)
		if err != nil {
			return nil, err
		}
		var e entry.Envelope
		if err := e.Scan(line); err != nil {
			s.failf("entry %d is not JSON: %v: %q", i, err, line)
		}
		if id, _ := list.ID(i); id != string(e.ID) {
			s.failf("entry %d is %q, its line says %q", i, id, e.ID)
		}
		all = append(all, string(line))
	}
	return all, nil
}

// brief names lines by their ids and lengths.
func brief(lines []string) string {
	var all []string
	for _, line := range lines {
		var e entry.Envelope
		_ = e.Scan([]byte(line)) // it was scanned before
		all = append(all, fmt.Sprintf("%s:%d", strings.TrimLeft(string(e.ID), "0"), len(line)))
	}
	return strings.Join(all, " ")
}

// naive are the entries of a log, found by looking for what begins like one and is
// one up to the next beginning, or the end of the line.
func naive(data []byte) []string {
	var all []string
	for line := range strings.Lines(string(data)) {
		for piece := range strings.SplitSeq(line, `{"type":`) {
			var e entry.Envelope
			piece = strings.TrimSpace(`{"type":` + piece)
			if e.Scan([]byte(piece)) == nil && e.Kind == entry.Message {
				all = append(all, piece)
			}
		}
	}
	return all
}

// call has one of the journals do something.
func (s *shared) call() string {
	w := s.dice.IntN(2)
	j := s.writers[w]
	switch s.dice.IntN(6) {
	case 0, 1:
		id := s.id()
		_, err := j.Append(s.t.Context(), []byte(user(id, "", s.text())), true)
		s.must(err)
		s.acked[w][id] = true
		return fmt.Sprintf("writer %d appends %s", w, id)
	case 2:
		_, err := j.Refresh(s.t.Context())
		s.must(err)
		return fmt.Sprintf("writer %d looks", w)
	case 3:
		_, _ = s.held(j) // it may say that the log is another, never what is not there
		_, _ = s.held(s.reader)
		return "all read"
	case 4:
		list := j.Snapshot()
		for i := range list.Len() {
			if line, err := list.Load(i); err == nil && !bytes.HasPrefix(line, []byte(`{"type"`)) {
				s.failf("a snapshot has %q", line)
			}
		}
		return fmt.Sprintf("writer %d gives a snapshot", w)
	}
	s.must(j.Flush(s.t.Context()))
	s.must(j.Close())
	s.acked[w] = map[string]bool{} // what others do to it from now on is for those who know it
	s.writers[w] = s.again(true)
	return fmt.Sprintf("writer %d comes back", w)
}

// again opens the log, which a writer puts back if it is gone.
func (s *shared) again(write bool) *journal.Journal {
	if _, there := s.read(); !there {
		for _, j := range s.writers {
			_, _ = j.Refresh(s.t.Context()) // one of them is closed
		}
	}
	return s.open(write)
}

// check compares what everybody holds with the log, once all is still.
func (s *shared) check() {
	s.finish()
	for range 3 { // what one puts back, the others see
		for _, j := range s.writers {
			s.must(j.Flush(s.t.Context()))
			_, err := j.Refresh(s.t.Context())
			s.must(err)
		}
	}
	_, err := s.reader.Refresh(s.t.Context())
	s.must(err)
	data, there := s.read()
	if !there {
		s.failf("it is gone")
	}
	want := naive(data)
	for n, j := range append(slices.Clone(s.writers), s.reader) {
		got, err := s.held(j)
		if err != nil { // a line that was changed where it stood
			_, err = j.Refresh(s.t.Context())
			s.must(err)
			got, err = s.held(j)
		}
		s.must(err)
		want := want
		if j != s.reader { // what waited stands before what came meanwhile
			want = slices.Sorted(slices.Values(want))
			slices.Sort(got)
		}
		if !slices.Equal(got, want) {
			s.failf("journal %d holds other entries than the log:\n%s\n%s", n, brief(got), brief(want))
		}
	}
	count := map[string]int{}
	for _, line := range want {
		var e entry.Envelope
		s.must(e.Scan([]byte(line)))
		if count[string(e.ID)]++; count[string(e.ID)] > 1 {
			s.failf("%s is there twice: %s\n%.0q", e.ID, brief(want), data)
		}
	}
	for w, ids := range s.acked {
		for id := range ids {
			if count[id] == 0 {
				s.failf("%s, which writer %d was told to be saved, is lost", id, w)
			}
		}
	}
}

// TestOthersWrite plays histories of programs that write to one log, and compares
// after some of the steps what each journal holds with what is there.
func TestOthersWrite(t *testing.T) {
	steps := 0
	defer func() { t.Logf("%d histories, %d steps", *histories, steps) }()
	for seed := range *histories {
		s := newShared(t, seed)
		for range 25 {
			if s.dice.IntN(3) == 0 {
				s.story = append(s.story, s.others())
			} else {
				s.story = append(s.story, s.call())
			}
			if s.dice.IntN(8) == 0 {
				s.story = append(s.story, "check")
				s.check()
			}
		}
		s.check()
		steps += len(s.story)
		for _, j := range append(s.writers, s.reader) {
			s.must(j.Close())
		}
	}
}
