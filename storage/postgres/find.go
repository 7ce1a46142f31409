package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"strings"

	"github.com/cambium-dev/cambium/internal/powers"
)

// Find tells which terms the lines of which logs have, found by the server's full
// text index. What was appended without Options.Extract is told of after Index.
func (s *pgStore) Find(ctx context.Context, dir string, terms []powers.Term) iter.Seq2[powers.Worded, error] {
	return func(yield func(powers.Worded, error) bool) {
		fail := func(err error) { yield(powers.Worded{}, fmt.Errorf("find in %q: %w", dir, err)) }
		if len(terms) > powers.MaxTerms {
			fail(errors.New("too many words"))
			return
		}
		queries := make([]string, len(terms))
		for i, term := range terms {
			queries[i] = queryOf(term)
		}
		all, err := s.worded(ctx, path.Clean(dir), queries)
		if err != nil {
			fail(err)
			return
		}
		for _, w := range all {
			if !yield(w, nil) {
				return
			}
		}
	}
}

// queryOf is a term as the server reads it: nothing in it but the word.
func queryOf(t powers.Term) string {
	word := strings.ToValidUTF8(strings.ReplaceAll(t.Word, "\x00", ""), "\uFFFD")
	text := "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(word) + "'"
	if t.Prefix {
		text += ":*"
	}
	return text
}

// worded asks for what the lines of all logs have, all terms with one statement: of
// each line a number with a bit for each term.
func (s *pgStore) worded(ctx context.Context, dir string, terms []string) (all []powers.Worded, err error) {
	first, end := below(dir)
	every := int64(1)<<len(terms) - 1
	err = s.do(ctx, func(ctx context.Context) error {
		all = all[:0]
		rows, err := s.pool.Query(ctx, s.sql(`
			with l as (
				select t.project, t.gen, t.seq, bit_or(1::bigint << (q.n - 1)::int) as terms
				from unnest($1::text[]) with ordinality as q(term, n) join @.texts t on t.words @@ q.term::tsquery
				group by t.project, t.gen, t.seq
			), g as (
				select project, gen, bit_or(terms) as terms, bool_or(terms = $2) as together from l group by project, gen
			)
			select `+headColumns+`, h.said, coalesce(g.terms, 0), coalesce(g.together, $2 = 0)
			from @.heads h left join g on g.project = h.project and g.gen = h.gen
			where h.texted = h.lines and (h.dir = $3 or h.dir >= $4 and h.dir < $5)`),
			terms, every, dir, first, end)
		if err != nil {
			return err
		}
		defer rows.Close()
		var h head
		var found int64
		var w powers.Worded
		dest := append(h.fields(), &w.Said, &found, &w.All)
		for rows.Next() {
			if err := rows.Scan(dest...); err != nil {
				return err
			}
			w.Info, w.Has = h.info(), make([]bool, len(terms))
			for n := range w.Has {
				w.Has[n] = found&(1<<n) != 0
			}
			all = append(all, w)
		}
		return rows.Err()
	})
	return all, err
}
