//go:build linux

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// grow appends a message to COUNT sessions below a directory, spread over all of
// them, as a program does that knows nothing of an index. It ends when their
// times are far enough back to tell the next change from this one.
func (b *bench) grow() error {
	var names []string
	err := filepath.WalkDir(b.file, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".jsonl") {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.Sort(names)
	from := time.Now()
	for i := range b.count {
		name := names[i*len(names)/b.count]
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		now := time.Now()
		_, err = fmt.Fprintf(f, `{"type":"message","id":"%08x","parentId":null,"timestamp":"%s","message":{"role":"user","content":"and now?","timestamp":%d}}`+"\n",
			now.UnixNano()&0xffffffff, now.UTC().Format("2006-01-02T15:04:05.000Z"), now.UnixMilli())
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	b.took(time.Since(from))
	time.Sleep(200 * time.Millisecond)
	return nil
}
