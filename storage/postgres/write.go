package postgres

import (
	"context"
	"errors"

	"github.com/cambium-dev/cambium/internal/lease"
	"github.com/jackc/pgx/v5"
)

// maxOne is how many bytes go into one statement; more are sent as a batch of
// such.
const maxOne = 4 << 20

// A write is one append on its way.
type write struct {
	*pgStore
	place
	spread  int64
	lines   [][]byte
	starts  []int64 // where each line starts, from the first one on
	size    int64   // of all lines, line feeds counted
	at, end seen
	texts   texts
}

func (l *rowLog) newWrite(lines [][]byte, size int64, at, end seen) *write {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := &write{pgStore: l.store, place: l.place, spread: l.spread, size: size, at: at, end: end}
	w.lines, w.starts = make([][]byte, len(lines)), make([]int64, len(lines))
	pos := int64(0)
	for i, line := range lines {
		if line == nil {
			line = []byte{} // nil would be null
		}
		w.lines[i], w.starts[i] = line, pos
		pos += int64(len(line)) + 1
	}
	w.texts = extract(l.store.opt.Extract, lines)
	return w
}

// attempt is the write to be remembered.
func (w *write) attempt() attempt {
	return attempt{at: w.at, end: w.end, project: w.spread, n: len(w.lines), sum: lease.Sum(w.lines)}
}

// extend sends the append. took is false if the log is not where it was to be.
func (w *write) extend(ctx context.Context) (took bool, err error) {
	if w.size > maxOne {
		return w.extendMuch(ctx)
	}
	args := []any{
		w.dir, w.base, w.at.id, w.at.gen, w.at.lines, w.at.token, w.size, w.end.token,
		w.lines, w.starts,
	}
	more := ""
	if w.texts.on {
		more = addText
		args = append(args, w.texts.line, w.texts.part, w.texts.words, w.texts.said)
	}
	err = w.once(ctx, w.size, func(ctx context.Context) error {
		return w.pool.QueryRow(ctx, w.sql(w.move()+`, l as (
			insert into @.lines (project, gen, seq, pos, token, body)
			select h.project, h.gen, h.first + u.n, h.start + u.pos, $8, u.body
			from h, unnest($9::bytea[], $10::bigint[]) with ordinality as u(body, pos, n))`+more+`
			select count(*) > 0 from h`), args...).Scan(&took)
	})
	return took, err
}

// move is the beginning of a statement: it moves the head if it is where the
// mark says, and gives what is needed of it as h.
func (w *write) move() string {
	texted := "texted"
	if w.texts.on {
		texted = "case when texted = lines then lines + cardinality($10::bigint[]) else texted end, said = " + moreSaid("$14")
	}
	return `with h as (
		update @.heads set lines = lines + cardinality($10::bigint[]), bytes = bytes + $7, token = $8,
			mtime = clock_timestamp(), texted = ` + texted + `
		where dir = $1 and base = $2 and id = $3 and gen = $4 and lines = $5 and token = $6
		returning project, gen, $5::bigint as first, bytes - $7 as start)`
}

// extendMuch sends a long append in several statements, all at once: they take
// place together or not at all.
func (w *write) extendMuch(ctx context.Context) (took bool, err error) {
	texted := "texted"
	if w.texts.on {
		texted = "case when texted = lines then lines + $9 else texted end, said = " + moreSaid("$10")
	}
	args := []any{w.dir, w.base, w.at.id, w.at.gen, w.at.lines, w.at.token, w.size, w.end.token, len(w.lines)}
	if w.texts.on {
		args = append(args, w.texts.said)
	}
	b := &pgx.Batch{}
	b.Queue(w.sql(`update @.heads set lines = lines + $9, bytes = bytes + $7, token = $8, mtime = clock_timestamp(),
			texted = `+texted+`
		where dir = $1 and base = $2 and id = $3 and gen = $4 and lines = $5 and token = $6`), args...)
	w.queue(b, w.at.lines)
	err = w.once(ctx, w.size, func(ctx context.Context) error {
		took = false
		results := w.pool.SendBatch(ctx, b)
		tag, err := results.Exec()
		took = tag.RowsAffected() > 0
		return errors.Join(err, results.Close())
	})
	return took && err == nil, err
}

// queue adds the lines and texts behind the head that has the write's token
// since earlier in the batch. Without such a head nothing is added; nor if they
// are there already, because the write was sent before and no answer came.
func (w *write) queue(b *pgx.Batch, first int64) {
	for from := 0; from < len(w.lines); {
		to, size := from, 0
		for to < len(w.lines) && (to == from || size+len(w.lines[to]) <= maxOne) {
			size += len(w.lines[to])
			to++
		}
		b.Queue(w.sql(`insert into @.lines (project, gen, seq, pos, token, body)
			select h.project, h.gen, $4::bigint + u.n, h.bytes - $5::bigint + u.pos, $3, u.body
			from @.heads h, unnest($6::bytea[], $7::bigint[]) with ordinality as u(body, pos, n)
			where h.dir = $1 and h.base = $2 and h.token = $3 on conflict do nothing`),
			w.dir, w.base, w.end.token, first+int64(from), w.size, w.lines[from:to], w.starts[from:to])
		from = to
	}
	w.queueTexts(b, first)
}

// begin sends the first append of a log. took is false if the name is taken.
func (w *write) begin(ctx context.Context) (took bool, err error) {
	if w.size >= minCopy {
		return w.copyAll(ctx)
	}
	b := &pgx.Batch{}
	w.queueHead(b)
	w.queue(b, 0)
	err = w.once(ctx, w.size, func(ctx context.Context) error {
		took = true
		results := w.pool.SendBatch(ctx, b)
		err := results.QueryRow().Scan(&w.end.id, &w.end.gen)
		if errors.Is(err, pgx.ErrNoRows) {
			took, err = false, nil
		}
		return errors.Join(err, results.Close())
	})
	return took && err == nil, err
}

// queueHead adds the head of a log that begins, and what lists its directory.
func (w *write) queueHead(b *pgx.Batch) {
	texted, said := 0, int64(0)
	if w.texts.on {
		texted, said = len(w.lines), w.texts.said
	}
	parents, dirs := chain(w.dir)
	b.Queue(w.sql(`insert into @.heads (dir, base, id, project, gen, lines, bytes, token, texted, said)
		values ($1, $2, nextval('@.numbers'), $3, nextval('@.numbers'), $4, $5, $6, $7, $8)
		on conflict do nothing returning id, gen`),
		w.dir, w.base, w.spread, len(w.lines), w.size, w.end.token, texted, said)
	b.Queue(w.sql(`insert into @.dirs (parent, dir) select * from unnest($1::text[], $2::text[])
		on conflict do nothing`), parents, dirs)
}

// chain returns each directory on the way to dir with the one that it is in.
func chain(dir string) (parents, dirs []string) {
	for {
		up := place{}
		up, _ = placeOf(dir)
		if dir == up.dir || dir == "." {
			return parents, dirs
		}
		parents, dirs = append(parents, up.dir), append(dirs, dir)
		dir = up.dir
	}
}
