//go:build linux

// Command bench times one operation of Cambium on one session file, in this
// fresh process, and prints one JSON object, as interop/bench.mjs does for the
// real programs: ms is the operation alone, timed inside the process, rssKb the
// peak resident memory of the whole process. The file is only read; what is
// written goes to a folder in the temporary directory that is removed.
//
// Usage: bench OP FILE [COUNT]
//
//	open      open the session: every line checked and indexed
//	context   open it and rebuild the context of its leaf: the messages are
//	          located and checked, none is decoded
//	read      context, and every message's bytes read
//	reopen    open it to append, by what an index in the directory BENCH_INDEX
//	          keeps of it, and read the last COUNT entries of the branch; what
//	          opening the index takes is counted
//	switch    take a running agent to it, to append to it; with BENCH_INDEX by
//	          what that index keeps of it, which is open already
//	remember  have that index keep it: its time of change is set back first
//	tree      open it, then build the whole tree
//	append    open a copy, append an entry, then COUNT entries of 2 KB, not synced
//	first     open a copy to write and append one such entry
//	sync      the same, each made durable before the next
//	beside    the same, a write of 2 KB with one fdatasync to another file after
//	          each: usPerEntry and rawUsPerEntry are the medians of the two
//	plain     as beside, but neither synced
//	writers   eight processes at once open one copy and append to it for COUNT
//	          ms, not synced: see writers.go
//	fdatasync no session at all: COUNT writes of 2 KB, each with fdatasync
//	write     no session at all: COUNT writes of 2 KB
//	calls     no session at all: COUNT times what an append asks of the kernel
//	bytes     no session at all: FILE is read, or all that it matches
//	pipe      no session at all: FILE goes through a pipe
//	texts     list and keep the texts of all in an index in BENCH_INDEX
//	search    ask that index BENCH_QUERY: the time to the first hit
//	fork      copy the whole session into another project
//	list      FILE is a directory of sessions, or a home: describe every session
//	          in it
//	text      the same, with all that was said
//	warm      the same as list, with an index kept in the directory BENCH_INDEX
//	cold      the same, the index taken away first
//	states    FILE is a home: ask for the state of every session file in it and for
//	          nothing else, on COUNT cores
//	grow      append a message to COUNT sessions below the directory FILE
//	recent    FILE is a directory: the COUNT sessions that changed last
//
// Usage: bench corpus big|small|dense|tiny BYTES FILE
//
// writes a session to measure on: large entries, small ones, text dense with
// escapes, or a million entries in 289 MB.
//
// Usage: bench corpus store BYTES HOME COUNT AGENT…
//
// writes COUNT sessions of BYTES together into the agents' homes under HOME.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

// result is what one operation took; the names are those of bench.mjs.
type result struct {
	Op        string  `json:"op"`
	MS        float64 `json:"ms"`
	OpenMS    float64 `json:"openMs,omitzero"`
	PerEntry  float64 `json:"usPerEntry,omitzero"`
	RawEntry  float64 `json:"rawUsPerEntry,omitzero"`
	Largest   float64 `json:"largestUs,omitzero"`
	Fairness  float64 `json:"fairness,omitzero"`
	Entries   int     `json:"entries,omitzero"`
	Messages  int     `json:"messages,omitzero"`
	Bytes     int64   `json:"bytes,omitzero"`
	TextBytes int64   `json:"textBytes,omitzero"`
	AllMS     float64 `json:"allMs,omitzero"`
	PeakKB    int64   `json:"rssKb"`
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type bench struct {
	ctx     context.Context
	file    string
	scratch string
	count   int
	out     result
}

func run(args []string) error {
	if len(args) == 4 && args[0] == "corpus" {
		return corpus(args[1], args[2], args[3])
	}
	if len(args) > 5 && args[0] == "corpus" && args[1] == "store" {
		return store(args[2], args[3], args[4], args[5:])
	}
	if len(args) < 2 {
		return fmt.Errorf("usage: bench OP FILE [COUNT] | bench corpus KIND BYTES FILE")
	}
	scratch, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }() // it is only scratch
	b := &bench{ctx: context.Background(), file: args[1], scratch: scratch, count: 2000}
	if len(args) > 2 {
		if b.count, err = strconv.Atoi(args[2]); err != nil {
			return fmt.Errorf("read count: %w", err)
		}
	}
	b.out.Op = args[0]
	operations := map[string]func() error{
		"open": b.open, "context": b.context, "read": b.read, "tree": b.tree,
		"reopen": b.reopen, "remember": b.remember, "switch": b.switching,
		"append": b.append, "first": b.first, "sync": b.sync, "fork": b.fork,
		"beside": func() error { return b.beside(true) }, "plain": func() error { return b.beside(false) },
		"writers": b.writers, "writer": b.writer,
		"list": func() error { return b.list(false) }, "text": func() error { return b.list(true) }, "recent": b.recent, "warm": b.warm, "cold": b.cold, "grow": b.grow, "states": b.states,
		"texts": b.texts, "search": b.search,
		"write": func() error { return b.raw(false) }, "fdatasync": func() error { return b.raw(true) },
		"bytes": b.bytes, "pipe": b.pipe, "calls": b.calls,
	}
	op, ok := operations[args[0]]
	if !ok {
		return fmt.Errorf("unknown operation %q", args[0])
	}
	if err := op(); err != nil {
		return err
	}
	if b.out.PeakKB, err = peers.PeakKB(0); err != nil {
		return err
	}
	line, err := json.Marshal(b.out)
	if err != nil {
		return err
	}
	fmt.Println(string(line))
	return nil
}

func corpus(kind, size, file string) (err error) {
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil {
		return fmt.Errorf("read size: %w", err)
	}
	write := map[string]func(io.Writer, *rand.Rand, int64) (sessiongen.Summary, error){
		"big": sessiongen.Big, "small": sessiongen.Small, "dense": sessiongen.Dense, "tiny": sessiongen.Tiny,
	}[kind]
	if write == nil {
		return fmt.Errorf("unknown corpus %q", kind)
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	if _, err = write(w, rand.New(rand.NewPCG(1, 2)), n); err == nil {
		err = w.Flush()
	}
	return errors.Join(err, f.Close())
}

func (b *bench) options() session.Options {
	return session.Options{
		Env:      layout.Env{Home: b.scratch, TempDir: "/nowhere", Cwd: b.scratch},
		Dialect:  dialect.Name(os.Getenv("BENCH_DIALECT")),
		ReadOnly: true,
		Sync:     session.SyncNone,
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
func us(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

// opened opens the session and notes how long it took.
func (b *bench) opened(file string, o session.Options) (*session.Session, error) {
	from := time.Now()
	s, err := session.Open(b.ctx, file, o)
	b.out.OpenMS = ms(time.Since(from))
	return s, err
}

func (b *bench) open() error {
	s, err := b.opened(b.file, b.options())
	if err != nil {
		return err
	}
	b.out.MS, b.out.OpenMS = b.out.OpenMS, 0
	return s.Close()
}

func (b *bench) context() error { return b.messages(false) }
func (b *bench) read() error    { return b.messages(true) }

func (b *bench) messages(read bool) error {
	from := time.Now()
	s, err := session.Open(b.ctx, b.file, b.options())
	if err != nil {
		return err
	}
	c, err := s.Context(b.ctx, session.ContextOptions{})
	if err != nil {
		return err
	}
	if read {
		for m, err := range c.Messages() {
			if err != nil {
				return err
			}
			b.out.Messages++
			b.out.Bytes += int64(len(m.JSON))
		}
	}
	b.out.MS = ms(time.Since(from))
	return s.Close()
}

func (b *bench) tree() error {
	s, err := b.opened(b.file, b.options())
	if err != nil {
		return err
	}
	from := time.Now()
	t := tree.Of(s.Tree())
	n := 0
	for range t.Nodes(tree.Strict) {
		n++
	}
	b.out.MS, b.out.Entries = ms(time.Since(from)), n
	return s.Close()
}

func (b *bench) append() error { return b.appends(session.SyncNone) }
func (b *bench) sync() error   { return b.appends(session.SyncEntry) }

func (b *bench) appends(sync session.Sync) error {
	s, body, err := b.copied(sync)
	if err != nil {
		return err
	}
	if _, err := s.Append(b.ctx, body); err != nil {
		return err
	}
	s.List().Twin(0) // it waits until the ids are entered
	from := time.Now()
	for range b.count {
		if _, err := s.Append(b.ctx, body); err != nil {
			return err
		}
	}
	b.took(time.Since(from))
	return s.Close()
}

// first opens a copy and appends to it once.
func (b *bench) first() error {
	s, body, err := b.copied(session.SyncNone)
	if err != nil {
		return err
	}
	from := time.Now()
	if _, err := s.Append(b.ctx, body); err != nil {
		return err
	}
	b.out.MS, b.out.OpenMS = b.out.OpenMS+ms(time.Since(from)), 0
	return s.Close()
}

// beside takes turns, so that both meet the same disk.
func (b *bench) beside(synced bool) error {
	how := session.SyncNone
	if synced {
		how = session.SyncEntry
	}
	s, body, err := b.copied(how)
	if err != nil {
		return err
	}
	f, line, err := b.rawFile()
	if err != nil {
		return err
	}
	var appended, raw []time.Duration
	for range b.count {
		from := time.Now()
		if _, err := s.Append(b.ctx, body); err != nil {
			return err
		}
		middle := time.Now()
		if _, err := f.Write(line); err != nil {
			return err
		}
		if synced {
			if err := unix.Fdatasync(int(f.Fd())); err != nil {
				return err
			}
		}
		appended, raw = append(appended, middle.Sub(from)), append(raw, time.Since(middle))
	}
	slices.Sort(appended)
	slices.Sort(raw)
	b.out.PerEntry, b.out.RawEntry = us(appended[b.count/2]), us(raw[b.count/2])
	b.out.Entries = b.count
	return errors.Join(f.Close(), s.Close())
}

// copied opens a copy of the session to write, with the body that is appended
// to it. What is to be synced is on disk then, so that the first sync is not
// the copy's.
func (b *bench) copied(sync session.Sync) (*session.Session, entry.Body, error) {
	file := filepath.Join(b.scratch, "s.jsonl")
	if err := copyFile(b.file, file, sync != session.SyncNone); err != nil {
		return nil, nil, err
	}
	o := b.options()
	o.ReadOnly, o.Sync = false, sync
	s, err := b.opened(file, o)
	if err != nil {
		return nil, nil, err
	}
	body, err := appended()
	return s, body, err
}

// appended is the body that is appended.
func appended() (entry.Body, error) {
	return entry.ParseBody([]byte(`{"type":"message","message":{"role":"user","content":"` + text(1840) + `","timestamp":1}}`))
}

func (b *bench) took(d time.Duration) {
	b.out.MS, b.out.Entries = ms(d), b.count
	b.out.PerEntry = float64(d.Nanoseconds()) / 1000 / float64(b.count)
}

func text(n int) string {
	return strings.Repeat("the session branch reads a line and keeps every byte ", n/53+1)[:n]
}

// raw is the floor: writes of the same size without any of the checks.
func (b *bench) raw(sync bool) error {
	f, line, err := b.rawFile()
	if err != nil {
		return err
	}
	from := time.Now()
	for range b.count {
		if _, err := f.Write(line); err != nil {
			return err
		}
		if sync {
			if err := unix.Fdatasync(int(f.Fd())); err != nil {
				return err
			}
		}
	}
	b.took(time.Since(from))
	return f.Close()
}

// rawFile returns a file to write to without any of the checks, and what.
func (b *bench) rawFile() (*os.File, []byte, error) {
	f, err := os.OpenFile(filepath.Join(b.scratch, "raw"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	return f, []byte(text(2047) + "\n"), err
}

func (b *bench) fork() error {
	o := b.options()
	o.ReadOnly, o.Dir = false, b.scratch
	from := time.Now()
	s, err := session.ForkFrom(b.ctx, b.file, b.scratch, o)
	if err != nil {
		return err
	}
	b.out.MS = ms(time.Since(from))
	if info, err := os.Stat(s.Path()); err == nil {
		b.out.Bytes = info.Size()
	}
	return s.Close()
}

func copyFile(from, to string, sync bool) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read from
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil && sync {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
