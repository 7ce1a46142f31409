//go:build linux

package main

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/internal/sessiongen"
)

// listed returns how the sessions of the directory are found: one of sessions, or
// a home.
func (b *bench) listed() catalog.Options {
	if _, err := os.Stat(filepath.Join(b.file, ".pi")); err == nil {
		env := b.options().Env
		env.Home = b.file
		return catalog.Options{Env: env, Empty: true}
	}
	return catalog.Options{Env: b.options().Env, SessionDir: b.file, Empty: true}
}

// list describes all sessions of a directory.
func (b *bench) list(text bool) error {
	o := b.listed()
	o.Text = text
	from := time.Now()
	all, err := catalog.List(b.ctx, o)
	if err != nil {
		return err
	}
	b.out.MS, b.out.Entries = ms(time.Since(from)), len(all)
	for _, info := range all {
		b.out.Messages += info.Messages
		b.out.Bytes += int64(len(info.Text))
	}
	return nil
}

// cold is warm with the index taken away first.
func (b *bench) cold() error {
	if err := os.RemoveAll(os.Getenv("BENCH_INDEX")); err != nil {
		return err
	}
	return b.warm()
}

// warm lists with an index in the directory BENCH_INDEX, all of it: what opening
// the index takes too. Each session is described and let go, as cambium ls does.
func (b *bench) warm() (err error) {
	from := time.Now()
	known := index.New(index.Options{Dir: os.Getenv("BENCH_INDEX")})
	defer func() { err = errors.Join(err, known.Close()) }()
	o := b.listed()
	o.Index, o.Trouble = known, func(trouble error) { err = errors.Join(err, trouble) }
	debug.SetMemoryLimit(56 << 20) // as cambium ls does
	rows, failed := catalog.ReadRows(b.ctx, o)
	if failed != nil {
		return errors.Join(err, failed)
	}
	for info := range rows.All() {
		b.out.Messages += info.Messages
	}
	b.out.MS, b.out.Entries = ms(time.Since(from)), rows.Len()
	return err
}

// recent names the sessions of a directory that changed last.
func (b *bench) recent() error {
	from := time.Now()
	for _, err := range catalog.Recent(b.ctx, b.listed()) {
		if err != nil {
			return err
		}
		if b.out.Entries++; b.out.Entries == b.count {
			break
		}
	}
	b.out.MS = ms(time.Since(from))
	return nil
}

// store writes a generated store of sessions.
func store(size, home, count string, agents []string) error {
	bytes, err := strconv.ParseInt(size, 10, 64)
	if err != nil {
		return fmt.Errorf("read size: %w", err)
	}
	n, err := strconv.Atoi(count)
	if err != nil {
		return fmt.Errorf("read count: %w", err)
	}
	for p := range sessiongen.Store(rand.New(rand.NewPCG(1, 2)), n, bytes, agents...) {
		if err := stored(home, p); err != nil {
			return err
		}
	}
	return nil
}

// stored writes one session of a store.
func stored(home string, p sessiongen.Planned) (err error) {
	name := filepath.Join(home, filepath.FromSlash(p.Path))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 64<<10)
	if _, err = p.Write(w); err == nil {
		err = w.Flush()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	at := time.UnixMilli(p.ModTime)
	return os.Chtimes(name, at, at)
}
