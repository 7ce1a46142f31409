package journal

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/defects"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/storage"
)

// A log shorter than this is read in one stretch: it is not worth a second
// core.
const minStretch = 1 << 20

// scan reads the whole log into one part. sec is nil for a store that has no
// bytes; then keep is given every entry's line.
func scan(ctx context.Context, log storage.Log, sec powers.Section, size int64, keep func(int, []byte)) (*part, error) {
	if sec == nil {
		return scanLines(ctx, log, keep)
	}
	n := runtime.GOMAXPROCS(0)
	if most := int(size / minStretch); n > most {
		n = max(1, most)
	}
	p, err := scanBytes(ctx, sec, size, n)
	if errors.Is(err, errPending) {
		return scanBytes(ctx, sec, size, 1)
	}
	return p, err
}

// scanLines reads a log line by line.
func scanLines(ctx context.Context, log storage.Log, keep func(int, []byte)) (*part, error) {
	p := newPart(true)
	p.keep = keep
	for line, err := range log.Read(ctx, storage.Mark{}) {
		if err != nil {
			return nil, err
		}
		p.line(line.Bytes, line.Pos, line.LF)
	}
	if err := p.end(true); err != nil {
		return nil, err
	}
	p.x.Rehash()
	return p, nil
}

// scanBytes reads a log in n stretches side by side.
func scanBytes(ctx context.Context, r io.ReaderAt, size int64, n int) (*part, error) {
	cuts, err := jsonl.Split(r, 0, size, n)
	if err != nil {
		return nil, err
	}
	n = len(cuts) - 1
	parts := make([]*part, n)
	errs := make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		parts[i] = newPart(i == 0)
		work := func() { errs[i] = parts[i].stretch(ctx, r, cuts[i], cuts[i+1], i == n-1) }
		if i == n-1 {
			work()
			continue
		}
		wait.Go(work)
	}
	wait.Wait()
	// Each part's own errors first: a stretch that ends inside an object is
	// only news when all could be read.
	for _, want := range []bool{false, true} {
		for _, err := range errs {
			if err != nil && errors.Is(err, errPending) == want {
				return nil, err
			}
		}
	}
	whole := parts[0]
	if n > 1 && whole.damage.Array {
		return nil, errPending // what a comma means is known in the first stretch only
	}
	for i, p := range parts[1:] {
		whole.merge(p)
		parts[i+1] = nil
	}
	whole.x.RehashLater()
	return whole, nil
}

// stretch reads the lines that begin between two offsets.
func (p *part) stretch(ctx context.Context, r io.ReaderAt, from, to int64, last bool) error {
	count, opt := 0, jsonl.Options{}
	if p.see != nil {
		opt = p.see.options()
	}
	err := jsonl.Lines(r, from, to, opt, func(l jsonl.Line) error {
		if count++; count&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if l.Bytes == nil && l.Len > 0 {
			return p.long(r, l)
		}
		p.line(l.Bytes, l.Off, l.LF)
		return nil
	})
	if err != nil {
		return err
	}
	return p.end(last)
}

// long takes a line that is too long to hold: it is checked as it streams by,
// and of its values only the names are kept. Nothing is recovered out of one
// that is damaged.
func (p *part) long(r io.ReaderAt, l jsonl.Line) error {
	if p.open && p.count() == 0 && l.Len <= jsonl.DefaultMaxLine && opensArray(r, l) {
		raw := make([]byte, l.Len)
		if _, err := r.ReadAt(raw, l.Off); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		p.line(raw, l.Off, l.LF)
		return nil
	}
	p.lines++
	p.torn = !l.LF
	if len(p.pending) > 0 {
		p.giveUp()
	}
	at := entry.At{Off: l.Off, Len: l.Len, Line: p.lines}
	query := entry.Query()
	if p.see != nil {
		query = p.see.Scanner.Query()
	}
	m := jsonl.NewMachine(query)
	err := jsonl.ScanLong(r, l, m)
	var syntax *jsonl.SyntaxError
	switch {
	case errors.As(err, &syntax) && m.Blank() && syntax.Torn():
		p.bad(defects.Bad{Kind: defects.BadZeros, Reason: "nothing but zero bytes"}, nil, at)
		return nil
	case errors.As(err, &syntax):
		b := defects.Bad{Kind: defects.BadSyntax, Reason: reason(syntax)}
		if syntax.Torn() {
			b.Kind = defects.BadTorn
		}
		p.bad(b, nil, at)
		return nil
	case errors.Is(err, jsonl.ErrNotObject):
		p.bad(defects.Bad{Kind: defects.BadScalar, Reason: "not a JSON object"}, nil, at)
		return nil
	case err != nil:
		return err
	}
	if p.see != nil {
		p.see.Scanner.Fill(&p.env, m.Values(), m.Spans())
	} else {
		p.env.Fill(m.Values(), m.Spans())
	}
	p.object(&p.env, nil, at)
	return nil
}

// opensArray reports whether a line begins with the bracket of an array, as far as its
// first bytes tell.
func opensArray(r io.ReaderAt, l jsonl.Line) bool {
	head := make([]byte, min(l.Len, 512))
	n, _ := r.ReadAt(head, l.Off) // what cannot be read is none
	s := jsonl.Trim(head[:n], l.Off)
	return s.Present() && head[s.Start] == '['
}
