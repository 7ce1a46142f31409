package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/cambium-dev/cambium/storage"
	"github.com/jackc/pgx/v5"
)

// A head is a row of heads: a log as it is now.
type head struct {
	place
	id, project, gen    int64
	lines, bytes, token int64
	mtime               time.Time
}

// headColumns are the columns of a head, in the order of fields.
const headColumns = "h.dir, h.base, h.id, h.project, h.gen, h.lines, h.bytes, h.token, case when isfinite(h.mtime) then h.mtime else to_timestamp(0) end"

func (h *head) fields() []any {
	return []any{&h.dir, &h.base, &h.id, &h.project, &h.gen, &h.lines, &h.bytes, &h.token, &h.mtime}
}

func (h *head) mark() storage.Mark { return markOf(h.id, h.gen, h.lines, h.token) }

func (h *head) info() storage.Info {
	return storage.Info{
		Name: h.name(), Mark: h.mark(), Size: h.bytes, ModTime: h.mtime.UnixNano(), Mode: 0o600,
	}
}

// markOf makes a mark: which log, which content, how many lines, and the token
// of the last of them.
func markOf(id, gen, lines, token int64) storage.Mark {
	return storage.MakeMark([4]uint64{uint64(id), uint64(gen), uint64(lines), uint64(token)})
}

// seen is what a mark stands for.
type seen struct{ id, gen, lines, token int64 }

func seenOf(m storage.Mark) seen {
	w := m.Words()
	return seen{int64(w[0]), int64(w[1]), int64(w[2]), int64(w[3])}
}

func (s seen) mark() storage.Mark { return markOf(s.id, s.gen, s.lines, s.token) }

// A view is a head with what the log holds where a mark ends.
type view struct {
	head
	token *int64 // of the mark's last line in the mark's content; nil: no such line
	next  *int64 // where the line after it starts
}

// find returns the log of an id, wherever it is, else the one at a place; nil if
// there is neither.
func (s *pgStore) find(ctx context.Context, p place, id int64, at seen) (*view, error) {
	var best *view
	err := s.do(ctx, func(ctx context.Context) error {
		best = nil
		rows, err := s.pool.Query(ctx, s.sql(`
			select `+headColumns+`, l.token, l.pos + octet_length(l.body) + 1
			from @.heads h left join @.lines l on l.project = h.project and l.gen = h.gen and l.gen = $4 and l.seq = $5
			where h.dir = $1 and h.base = $2 or h.id = $3`),
			p.dir, p.base, id, at.gen, at.lines)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			v := new(view)
			if err := rows.Scan(append(v.fields(), &v.token, &v.next)...); err != nil {
				return err
			}
			if best == nil || v.id == id {
				best = v
			}
		}
		return rows.Err()
	})
	return best, err
}

// since says what became of a log since a mark; 0 for nothing.
func (v *view) since(at seen) storage.Change {
	switch {
	case at.id != v.id || at.gen != v.gen:
		return storage.Replaced
	case at.lines == v.lines && at.token == v.head.token:
		return 0
	case at.lines < v.lines && (at.lines == 0 || v.token != nil && *v.token == at.token):
		return storage.Grown
	}
	// Fewer lines than were acknowledged, or others in their place: a server
	// without them took over.
	return storage.Truncated
}

// one runs a query for one row; found is false if there is none.
func (s *pgStore) one(ctx context.Context, query string, args []any, dest ...any) (found bool, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		err := s.pool.QueryRow(ctx, s.sql(query), args...).Scan(dest...)
		found = err == nil
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return found, err
}
