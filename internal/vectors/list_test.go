package vectors_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/vectors"
	"github.com/go-json-experiment/json/jsontext"
)

// list writes the files of a vector, each as old as it says, and finds them in
// every way that the vector asks for. Each row is a part of its own; a row that
// one side does not have is null there.
func list(b *sandbox) []part {
	now := time.Now()
	files, _ := jsonedit.Get(b.v.Input, "files")
	for name, spec := range jsonedit.Members(files) {
		data, ok := vectors.File(spec)
		if !ok {
			b.t.Fatalf("no content for %q", name)
		}
		path := filepath.Join(b.dir, name)
		b.must(os.WriteFile(path, bytes.ReplaceAll(data, []byte("{{dir}}"), []byte(b.dir)), 0o600))
		age, _ := jsonedit.Get(spec, "ageSeconds")
		seconds, _ := jsonedit.Int(age)
		at := now.Add(-time.Duration(seconds) * time.Second)
		b.must(os.Chtimes(path, at, at))
	}
	o := catalog.Options{Env: b.env(), Agents: []dialect.Name{dialect.Name(b.v.System)}, SessionDir: b.dir, Text: true}
	var parts []part
	for key, want := range jsonedit.Members(b.v.Expected) {
		switch key {
		case "list", "listAll":
			parts = append(parts, b.rows(key, want, b.listed(o, key))...)
		case "recent":
			parts = append(parts, b.rows(key, want, b.recents(o, now))...)
		case "defaultRecentCount":
			parts = append(parts, part{key, want, jsonedit.IntValue(catalog.UsualRecents)})
		case "mostRecent":
			parts = append(parts, part{key, want, b.found(catalog.Newest(b.t.Context(), o))})
		case "mostRecentForCwd":
			here := o
			here.CWD = b.dir
			parts = append(parts, part{key, want, b.found(catalog.Newest(b.t.Context(), here))})
		case "findById_bbb":
			parts = append(parts, part{key, want, b.found(catalog.Resolve(b.t.Context(), "bbb", true, o))})
		case "resolve":
			for arg, file := range jsonedit.Members(want) {
				parts = append(parts, part{key + " " + arg, file, b.found(catalog.Resolve(b.t.Context(), arg, true, o))})
			}
		default:
			b.t.Errorf("nobody looks at %q", key)
		}
	}
	return parts
}

// found is the name of the file that was found, "none" when there is none.
func (b *sandbox) found(info catalog.Info, err error) jsontext.Value {
	var missing *catalog.NotFound
	if errors.As(err, &missing) {
		return jsonedit.Quoted("none")
	}
	b.must(err)
	return jsonedit.Quoted(filepath.Base(info.Path))
}

// listed describes the sessions as a vector does. Only pi's list heeds the
// working directory where a directory is named.
func (b *sandbox) listed(o catalog.Options, key string) (rows []jsontext.Value) {
	pi := b.v.System == "pi"
	if pi && key == "list" {
		o.CWD = b.dir
	}
	all, err := catalog.List(b.t.Context(), o)
	b.must(err)
	for _, i := range all {
		var r jsonedit.Object
		r.String("file", filepath.Base(i.Path)).String("id", i.ID)
		if b.v.System != "omp" {
			r.String("cwd", i.CWD)
			if !i.Created.IsZero() {
				r.Add("created", jsonedit.Quoted(jsonedit.FormatTime(i.Created.UnixMilli())))
			}
		}
		if name := map[bool]string{true: "name", false: "title"}[pi]; i.Title != "" {
			r.String(name, i.Title)
		}
		if i.Parent != "" {
			r.String("parentSessionPath", i.Parent)
		}
		switch b.v.System {
		case "pi":
			r.Add("modified", jsonedit.Quoted(jsonedit.FormatTime(i.Modified.UnixMilli())))
		case "omp":
			r.String("status", string(i.Status)).Int("size", i.Size)
		}
		r.Int("messageCount", int64(i.Messages))
		r.Add("firstMessage", measured(i.FirstMessage, true)).Add("allMessagesText", measured(i.Text, false))
		rows = append(rows, r.Value())
	}
	return rows
}

// recents names the sessions that changed last, as a vector does.
func (b *sandbox) recents(o catalog.Options, now time.Time) (rows []jsontext.Value) {
	for g, err := range catalog.Recent(b.t.Context(), o) {
		b.must(err)
		var r jsonedit.Object
		r.String("file", filepath.Base(g.Path)).Add("name", measured(g.Name, false))
		rows = append(rows, r.String("timeAgo", catalog.TimeAgo(g.ModTime, now)).Value())
	}
	return rows
}

// measured is a text, of a long one its length and, if start says so, how it
// begins.
func measured(text string, start bool) jsontext.Value {
	if jsonedit.Units(text) <= 200 {
		return jsonedit.Quoted(text)
	}
	var o jsonedit.Object
	o.Int("length", int64(jsonedit.Units(text)))
	if start {
		o.String("start", text[:8])
	}
	return o.Value()
}

// rows makes a part of each row and one of their order.
func (b *sandbox) rows(key string, want jsontext.Value, got []jsontext.Value) []part {
	name := func(row jsontext.Value) string { file, _ := jsonedit.Text(row, "file"); return file }
	var wanted, came jsonedit.Array
	ours := map[string]jsontext.Value{}
	for _, row := range got {
		ours[name(row)] = row
		came.String(name(row))
	}
	var parts []part
	for row := range jsonedit.Elements(want) {
		file := name(row)
		wanted.String(file)
		row, one := row, jsontext.Value("null")
		if mine, ok := ours[file]; ok {
			one = mine
		}
		parts = append(parts, part{key + " " + file, row, one})
		delete(ours, file)
	}
	for _, row := range got {
		if _, more := ours[name(row)]; more {
			parts = append(parts, part{key + " " + name(row), jsontext.Value("null"), row})
		}
	}
	return append(parts, part{key + " order", wanted.Value(), came.Value()})
}
