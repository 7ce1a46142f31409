package browse

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/transcript"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/tui/picker"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/work"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
)

// How much is read for a preview.
const (
	peekTail   = 512 << 10 // of the end of a file, for its last messages
	peekSaid   = 6         // messages
	peekText   = 4 << 10   // bytes of each
	peekWhole  = 64 << 20  // files up to this size are read for labels and branches
	peekPlaces = 20        // of each
)

// A previewer reads what a picker shows of a session: its last messages by its
// end, then what takes the whole of it. Nothing is written, and what nobody
// looks at any more is not read on.
type previewer struct {
	lib  *work.Library
	ctx  context.Context
	stop context.CancelFunc // ends the preview before
}

// preview returns the command for the preview of the session at a path. Its
// answers are two.
func (p *previewer) preview(path string) tea.Cmd {
	p.stop()
	ctx, stop := context.WithCancel(p.ctx)
	p.stop = stop
	return func() tea.Msg {
		v := picker.Preview{Path: path}
		last, size, err := p.lastSaid(ctx, path)
		if err != nil {
			v.Err = fmt.Errorf("read session: %w", work.Cause(err))
			return v
		}
		v.Last = last
		if size > peekWhole {
			return v
		}
		v.Next = func() tea.Msg {
			v.Next = nil
			p.whole(ctx, path, &v)
			return v
		}
		return v
	}
}

// whole adds what is known only of a session that was read.
func (p *previewer) whole(ctx context.Context, path string, v *picker.Preview) {
	o := p.lib.Session()
	o.ReadOnly, o.Presence, o.OnVisit = true, nil, nil // reading takes no lease
	s, err := session.Open(ctx, path, o)
	if err != nil {
		if ctx.Err() == nil {
			v.Notes = append(v.Notes, err.Error())
		}
		return
	}
	defer func() { _ = s.Close() }() // nothing was written
	if d := s.Damage(); d.Any() {
		v.Notes = append(v.Notes, d.String())
	}
	list := s.List()
	text := func(i int) string {
		line, err := list.Load(i)
		if err != nil || i < 0 {
			return ""
		}
		return transcript.GistOf(list.Kind(i), line).String()
	}
	v.Labels, v.Tips = []picker.Place{}, []picker.Place{}
	if labels, err := tree.Of(s.Tree()).Labels(); err == nil {
		for _, l := range labels {
			if i := list.Find(l.TargetID); i >= 0 && len(v.Labels) < peekPlaces {
				v.Labels = append(v.Labels, picker.Place{Name: l.Text, Text: text(i)})
			}
		}
	}
	tips := tree.Of(s.Tree()).Elsewhere(s.LeafPosition())
	for _, tip := range slices.Backward(tips) {
		if len(v.Tips) == peekPlaces {
			break
		}
		id, _ := list.ID(tip.Entry)
		v.Tips = append(v.Tips, picker.Place{Name: id, Text: text(tip.Said)})
	}
}

// lastSaid reads the last messages of the branch on which a session goes on, as
// far as they stand at its end, and its size.
func (p *previewer) lastSaid(ctx context.Context, path string) (said []picker.Said, size int64, err error) {
	if p.lib.Shared != nil {
		return p.lastShared(ctx, path)
	}
	f, err := vfs.OS().Open(path, os.O_RDONLY)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, 0, err
	case !info.Regular():
		return nil, 0, vfs.ErrNotRegular
	}
	said, err = lastOf(f, info.Size)
	return said, info.Size, err
}

// lastShared is lastSaid of a session in the shared store.
func (p *previewer) lastShared(ctx context.Context, path string) (said []picker.Said, size int64, err error) {
	log, err := p.lib.Shared.Open(ctx, path, storage.Read)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = log.Close() }() // nothing was written
	info, err := log.Stat(ctx)
	if err != nil {
		return nil, 0, err
	}
	lines, err := log.ReadTail(ctx, peekTail)
	if err != nil {
		return nil, 0, err
	}
	var tail []byte
	for _, line := range lines {
		tail = append(append(tail, line.Bytes...), '\n')
	}
	said, err = lastOf(bytes.NewReader(tail), int64(len(tail)))
	return said, info.Size, err
}

// lastOf reads the last messages in so many bytes of lines.
func lastOf(r io.ReaderAt, size int64) (said []picker.Said, err error) {
	low := max(0, size-peekTail)
	scanner := entry.NewScanner(nil, nil)
	var above []byte // the entry that the last one seen hangs on
	begun := false
	err = jsonl.Reverse(r, size, 0, func(line jsonl.Line) error {
		switch {
		case line.Off < low || len(said) == peekSaid:
			return jsonl.ErrStop
		case line.Bytes == nil:
			return nil // too long to be held
		}
		var e entry.Envelope
		if err := scanner.Scan(&e, line.Bytes); err != nil || begun && e.ID != nil && string(e.ID) != string(above) {
			return nil // damaged, or of another branch
		}
		if e.ID != nil {
			begun, above = true, append(above[:0], e.Parent...)
		}
		if e.Kind != entry.Message {
			return nil
		}
		raw, _ := jsonedit.Get(line.Bytes, "message")
		if l, ok := transcript.LineOf(raw, peekText); ok {
			said = append(said, picker.Said{Role: l.Who, Text: l.Text})
		}
		return nil
	})
	slices.Reverse(said)
	return said, err
}
