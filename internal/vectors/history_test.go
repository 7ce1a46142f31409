package vectors_test

import (
	"math"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/prompts"
	"github.com/go-json-experiment/json/jsontext"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// history adds the prompts of a vector to a history of our own and looks for
// them. Databases of omp are only read: what its vector finds is looked for in
// one as omp left it.
func history(b *sandbox) []part {
	ctx := b.t.Context()
	now := func() time.Time { return time.Unix(1_771_237_230, 0) }
	o := prompts.Options{
		Own: prompts.Source{Agent: "cambium", Path: filepath.Join(b.dir, "history.db")}, Now: now,
		Trouble: func(err error) { b.t.Error(err) },
	}
	h, err := prompts.Open(ctx, o)
	b.must(err)
	for v := range jsonedit.Elements(b.input("adds")) {
		text, _ := jsonedit.String(v)
		h.Add(text, "", "S1")
	}
	b.must(h.Flush(ctx))
	parts := []part{{name: "recent", want: b.expects("recent"), got: b.prompts(h.Recent(ctx, 1000))}}
	if b.v.System == "omp" {
		b.must(h.Close())
		h, err = prompts.Open(ctx, prompts.Options{
			Others: []prompts.Source{{Agent: "omp", Path: b.ompHistory(), Parts: true}}, Trouble: o.Trouble,
		})
		b.must(err)
		ids, err := h.Sessions(ctx, "git", 500)
		b.must(err)
		var sessions jsonedit.Array
		for _, id := range ids {
			sessions.String(id)
		}
		parts = append(parts,
			part{name: "recent of theirs", want: b.expects("recent"), got: b.prompts(h.Recent(ctx, 1000))},
			part{name: "sessionsMatching_git", want: b.expects("sessionsMatching_git"), got: sessions.Value()})
	}
	queries, _ := jsonedit.Get(b.v.Args, "queries")
	for v := range jsonedit.Elements(queries) {
		query, _ := jsonedit.String(v)
		want, _ := jsonedit.Get(b.expects("search"), query)
		found, err := h.Search(ctx, query, 1000)
		b.must(err)
		var texts jsonedit.Array
		for _, p := range found {
			texts.String(p.Text)
		}
		parts = append(parts, part{name: "search " + query, want: want, got: texts.Value()})
	}
	b.must(h.Close())
	for name, n := range map[string]float64{"limitNaN": math.NaN(), "limitNeg": -5, "limit1_9": 1.9} {
		if want := b.expects(name); want != nil {
			found, err := h.Recent(ctx, prompts.Limit(n))
			b.must(err)
			parts = append(parts, part{name: name, want: want, got: jsontext.Value(strconv.Itoa(len(found)))})
		}
	}
	return parts
}

// expects returns one member of what a vector expects, nil when it has none.
func (b *sandbox) expects(name string) jsontext.Value {
	v, _ := jsonedit.Get(b.v.Expected, name)
	return v
}

// prompts writes prompts as a vector has them: xcsh's by their text, omp's with
// their ids.
func (b *sandbox) prompts(all []prompts.Prompt, err error) jsontext.Value {
	b.must(err)
	var list jsonedit.Array
	for _, p := range all {
		if b.v.System == "omp" {
			list.Add(new(jsonedit.Object).Int("id", p.ID).String("prompt", p.Text).Value())
		} else {
			list.String(p.Text)
		}
	}
	return list.Value()
}

// ompHistory makes the database that omp had at the end of the vector.
func (b *sandbox) ompHistory() string {
	path := filepath.Join(b.dir, "omp.db")
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite, sqlite.OpenCreate)
	b.must(err)
	b.must(sqlitex.ExecuteScript(conn, `
		CREATE TABLE history (id INTEGER PRIMARY KEY AUTOINCREMENT, prompt TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, cwd TEXT, session_id TEXT);
		CREATE VIRTUAL TABLE history_fts USING fts5(prompt, content='history', content_rowid='id');
		CREATE TRIGGER history_ai AFTER INSERT ON history BEGIN INSERT INTO history_fts(rowid, prompt) VALUES (new.id, new.prompt); END;`, nil))
	for row := range jsonedit.Elements(b.expects("recent")) {
		id, _ := jsonedit.Get(row, "id")
		n, _ := jsonedit.Int(id)
		text, _ := jsonedit.Text(row, "prompt")
		b.must(sqlitex.Execute(conn, "INSERT INTO history VALUES (?, ?, 1771237230, NULL, 'S1')", &sqlitex.ExecOptions{Args: []any{n, text}}))
	}
	b.must(conn.Close())
	return path
}
