package postgres

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"

	"github.com/cambium-dev/cambium/internal/lease"
	"github.com/cambium-dev/cambium/storage"
	"github.com/jackc/pgx/v5"
)

// listRows is how many logs of a directory are fetched at once.
const listRows = 10_000

// isDir reports whether some log lies in a directory, however deep.
func (s *pgStore) isDir(ctx context.Context, dir string) (is bool, err error) {
	first, end := below(dir)
	_, err = s.one(ctx, `select exists (select from @.heads where dir = $1)
		or exists (select from @.heads where dir >= $2 and dir < $3)`, []any{dir, first, end}, &is)
	return is, err
}

// dirsIn returns the directories in dir that have a log in them, those behind a
// name, in order.
func (s *pgStore) dirsIn(ctx context.Context, dir, after string) (dirs []string, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, s.sql(`
			select d.dir from @.dirs d where d.parent = $1 and d.dir > $2
				and (exists (select from @.heads h where h.dir = d.dir)
					or exists (select from @.heads h where h.dir >= d.dir || '/' and h.dir < d.dir || '0'))
			order by d.dir`), dir, after)
		if err != nil {
			return err
		}
		dirs, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return slices.DeleteFunc(dirs, func(d string) bool { return !lease.Sound(d, dir) }), err
}

// logsIn returns the next logs in dir, those behind a base name, in order.
func (s *pgStore) logsIn(ctx context.Context, dir, after string) (heads []head, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		heads = heads[:0]
		rows, err := s.pool.Query(ctx, s.sql(`select `+headColumns+`
			from @.heads h where h.dir = $1 and h.base > $2 order by h.base limit $3`), dir, after, listRows)
		if err != nil {
			return err
		}
		defer rows.Close()
		var h head
		dest := h.fields()
		for rows.Next() {
			if err := rows.Scan(dest...); err != nil {
				return err
			}
			heads = append(heads, h)
		}
		return rows.Err()
	})
	return heads, err
}

// List describes the logs and directories directly in a directory.
func (s *pgStore) List(ctx context.Context, dir string) iter.Seq2[storage.Info, error] {
	return func(yield func(storage.Info, error) bool) {
		fail := func(err error) { yield(storage.Info{}, fmt.Errorf("list %q: %w", dir, err)) }
		clean := path.Clean(dir)
		any, after, behind := false, "", ""
		var dirs []string
		for {
			heads, err := s.logsIn(ctx, clean, after)
			if err == nil {
				// After the logs: who lists a log lists a directory that was made before.
				dirs, err = s.dirsIn(ctx, clean, behind)
			}
			if err != nil {
				fail(err)
				return
			}
			any = any || len(dirs) > 0
			for i := range heads {
				if heads[i].base <= after && after != "" {
					fail(fmt.Errorf("%s: %w", s.where(), errTooMuch))
					return
				}
				any, after = true, heads[i].base
				info := heads[i].info()
				if !lease.Sound(info.Name, clean) || heads[i].place.base != path.Base(info.Name) {
					continue // no program of ours gave it
				}
				for len(dirs) > 0 && dirs[0] < info.Name {
					if !yield(dirInfo(dirs[0]), nil) {
						return
					}
					behind, dirs = dirs[0], dirs[1:]
				}
				if !yield(info, nil) {
					return
				}
			}
			if len(heads) < listRows {
				break
			}
		}
		for _, d := range dirs {
			if !yield(dirInfo(d), nil) {
				return
			}
		}
		if !any {
			fail(storage.ErrNotExist)
		}
	}
}

func dirInfo(name string) storage.Info {
	return storage.Info{Name: name, Mode: fs.ModeDir | 0o700}
}

// Stat describes one name.
func (s *pgStore) Stat(ctx context.Context, name string) (storage.Info, error) {
	p, err := placeOf(name)
	if err != nil {
		return storage.Info{}, fmt.Errorf("stat log: %w", err)
	}
	v, err := s.find(ctx, p, 0, seen{})
	if err == nil && v != nil {
		return v.info(), nil
	}
	if err == nil {
		var isDir bool
		if isDir, err = s.isDir(ctx, p.name()); isDir {
			return dirInfo(p.name()), nil
		}
		if err == nil {
			err = storage.ErrNotExist
		}
	}
	return storage.Info{}, fmt.Errorf("stat log %q: %w", name, err)
}

// prefixRows is how many lines a prefix is looked for in at once.
const prefixRows = 32

// ReadPrefix returns the first n bytes of a log. Of a long line no more than
// that is sent.
func (s *pgStore) ReadPrefix(ctx context.Context, name string, n int) ([]byte, error) {
	fail := func(err error) ([]byte, error) { return nil, fmt.Errorf("read log %q: %w", name, err) }
	p, err := placeOf(name)
	if err != nil {
		return fail(err)
	}
	prefix := []byte{}
	for from := int64(0); ; from += prefixRows {
		found, more, before := false, false, len(prefix)
		err := s.do(ctx, func(ctx context.Context) error {
			start := len(prefix)
			found = false
			rows, err := s.pool.Query(ctx, s.sql(`
				select h.lines > $3 + $4, substring(l.body from 1 for $5::int)
				from @.heads h left join lateral (
					select seq, pos, body from @.lines
					where project = h.project and gen = h.gen and seq > $3 order by seq limit $4) as l on l.pos < $5::int
				where h.dir = $1 and h.base = $2 order by l.seq`), p.dir, p.base, from, prefixRows, n)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var body []byte
				if err := rows.Scan(&more, &body); err != nil {
					return err
				}
				found = true
				if body != nil {
					prefix = append(append(prefix, body...), '\n')
				}
			}
			if rows.Err() != nil {
				prefix = prefix[:start]
			}
			return rows.Err()
		})
		switch {
		case err != nil:
			return fail(err)
		case !found && from == 0:
			return fail(storage.ErrNotExist)
		case !found || !more || len(prefix) >= n || len(prefix) == before:
			return prefix[:max(0, min(n, len(prefix)))], nil
		}
	}
}
