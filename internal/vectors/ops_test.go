package vectors_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/vectors"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// whole is the only part of a vector that is compared in one piece.
func (b *sandbox) whole(got jsontext.Value) []part {
	return []part{{name: "result", want: b.v.Expected, got: got}}
}

// byKey makes a part of each member of what is expected.
func (b *sandbox) byKey(got jsontext.Value) []part {
	var parts []part
	for key, want := range jsonedit.Members(b.v.Expected) {
		value, ok := jsonedit.Get(got, key)
		if !ok {
			b.t.Errorf("%s: nothing came out", key)
			continue
		}
		parts = append(parts, part{name: key, want: want, got: value})
	}
	return parts
}

func (b *sandbox) input(key string) jsontext.Value {
	v, _ := jsonedit.Get(b.v.Input, key)
	return vectors.Expand(v)
}

func (b *sandbox) argText(key string) string {
	text, _ := jsonedit.Text(b.v.Args, key)
	return strings.ReplaceAll(text, "{{dir}}", b.dir)
}

func (b *sandbox) rules() spelling.Dialect {
	d, ok := spelling.ByName(b.v.System)
	if !ok {
		b.t.Fatalf("no dialect %q", b.v.System)
	}
	return d
}

func (b *sandbox) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func dirNames(b *sandbox) []part {
	env := layout.Env{Home: b.argText("home"), TempDir: b.argText("tmpdir"), Cwd: "/"}
	var out jsonedit.Object
	for cwd := range jsonedit.Elements(b.input("cwds")) {
		text, _ := jsonedit.String(cwd)
		out.String(text, places.DirName(b.v.System, text, env))
	}
	return b.whole(out.Value())
}

// dirMigration creates a session where directories of older forms exist, and
// lists the directories afterwards.
func dirMigration(b *sandbox) []part {
	cwd, _ := jsonedit.String(b.input("cwd"))
	sum := sha256.Sum256([]byte(cwd))
	root := filepath.Join(b.dir, "agent", "sessions")
	for d := range jsonedit.Elements(b.input("dirs")) {
		name, _ := jsonedit.String(d)
		name = strings.ReplaceAll(name, "<sha256 of "+cwd+">", hex.EncodeToString(sum[:]))
		b.must(os.MkdirAll(filepath.Join(root, name), 0o700))
	}
	o := b.options()
	o.AgentDir, o.FirstWrite = filepath.Join(b.dir, "agent"), session.Immediately
	o.Env.Home = b.argText("home")
	s, err := session.Create(context.Background(), cwd, o)
	b.must(err)
	b.s = s
	var out jsonedit.Array
	list, err := os.ReadDir(root)
	b.must(err)
	for _, d := range list {
		out.String(d.Name())
	}
	for _, name := range places.DirNames(b.v.System, cwd, o.Env) {
		if _, err := os.Stat(filepath.Join(root, name)); err == nil {
			return b.whole(out.Value())
		}
	}
	b.t.Error("none of the directories is read")
	return nil
}

func snowflake(b *sandbox) []part {
	var out jsonedit.Array
	for c := range jsonedit.Elements(b.input("cases")) {
		var n []int64
		for v := range jsonedit.Elements(c) {
			i, _ := jsonedit.Int(v)
			n = append(n, i)
		}
		id := ident.Snowflake(n[0], uint32(n[1]))
		ms, seq, ok := ident.ParseSnowflake(id)
		if !ok {
			b.t.Errorf("%q is no snowflake", id)
		}
		out.Add(new(jsonedit.Object).String("hex", id).Int("timestamp", ms).Int("sequence", int64(seq)).Value())
	}
	return b.whole(out.Value())
}

func titleSlot(b *sandbox) []part {
	updated, _ := jsonedit.String(b.input("updatedAt"))
	var out jsonedit.Array
	for c := range jsonedit.Elements(b.input("cases")) {
		title, _ := jsonedit.Text(c, "title")
		source, _ := jsonedit.Text(c, "source")
		slot := spelling.FormatSlot(title, source, updated)
		line := slot[:len(slot)-1]
		var keys jsonedit.Array
		for key := range jsonedit.Members(line) {
			keys.String(key)
		}
		stored, _ := jsonedit.Text(line, "title")
		pad, _ := jsonedit.Text(line, "pad")
		out.Add(new(jsonedit.Object).Int("bytes", int64(len(slot))).
			Int("titleCodePoints", int64(utf8.RuneCountInString(stored))).String("title", stored).
			Int("padLength", int64(len(pad))).Add("keys", keys.Value()).
			Bool("endsWithNewline", slot[len(slot)-1] == '\n').Value())
	}
	return b.whole(out.Value())
}

func convertToLLM(b *sandbox) []part {
	messages := func(yield func(entry.JSON, error) bool) {
		for m := range jsonedit.Elements(b.input("messages")) {
			if !yield(m, nil) {
				return
			}
		}
	}
	var out jsonedit.Array
	for m, err := range replay.Convert(messages, b.rules().LLM, nil) {
		b.must(err)
		out.Add(m)
	}
	return b.whole(like(b.v.Expected, out.Value()))
}

func summaryText(b *sandbox) []part {
	summary := b.input("summary")
	var out jsonedit.Object
	for _, role := range []string{"branchSummary", "compactionSummary"} {
		msg := new(jsonedit.Object).String("role", role).Add("summary", summary).
			String("fromId", "x").Int("tokensBefore", 1).Int("timestamp", 1).Value()
		one := func(yield func(entry.JSON, error) bool) { yield(msg, nil) }
		for m, err := range replay.Convert(one, b.rules().LLM, nil) {
			b.must(err)
			content, _ := jsonedit.Get(m, "content")
			for block := range jsonedit.Elements(content) {
				text, _ := jsonedit.Text(block, "text")
				out.Add(role, wrapping(text, "hasLeadIn"))
			}
		}
	}
	return b.byKey(out.Value())
}

// wrapping is how a vector shows a summary in its wrapping.
func wrapping(text, lead string) jsontext.Value {
	before, rest, _ := strings.Cut(text, "<")
	tag, rest, _ := strings.Cut(rest, ">")
	at := strings.LastIndex(rest, "</"+tag+">")
	if at < 0 {
		return jsonedit.Quoted(text)
	}
	return new(jsonedit.Object).Bool(lead, strings.TrimSpace(before) != "").
		String("betweenTags", rest[:at]).String("afterClose", rest[at+len(tag)+3:]).Value()
}

// like gives got the form in which want shows long texts: their length, how
// they end, their hash.
func like(want, got jsontext.Value) jsontext.Value {
	switch jsonedit.Kind(want) {
	case '[':
		var gots []jsontext.Value
		for g := range jsonedit.Elements(got) {
			gots = append(gots, g)
		}
		var out jsonedit.Array
		i := 0
		for w := range jsonedit.Elements(want) {
			if i < len(gots) {
				out.Add(like(w, gots[i]))
			}
			i++
		}
		for _, got := range gots[min(i, len(gots)):] {
			out.Add(got)
		}
		return out.Value()
	case '{':
		if text, ok := jsonedit.String(got); ok {
			return summarised(text)
		}
		if _, ok := jsonedit.Get(want, "textShape"); ok {
			text, _ := jsonedit.Text(got, "text")
			return jsonedit.Set(jsonedit.Delete(got, "text"), "textShape", wrapping(text, "startsWithLeadIn"))
		}
		for key, w := range jsonedit.Members(want) {
			if g, ok := jsonedit.Get(got, key); ok {
				got = jsonedit.Set(got, key, like(w, g))
			}
		}
		if _, ok := jsonedit.Get(want, "length"); ok {
			for key := range jsonedit.Members(got) {
				if _, ok := jsonedit.Get(want, key); !ok {
					got = jsonedit.Delete(got, key)
				}
			}
		}
	}
	return got
}

func summarised(text string) jsontext.Value {
	sum := sha256.Sum256([]byte(text))
	return new(jsonedit.Object).Int("length", int64(jsonedit.Units(text))).
		Bool("endsWithNotice", strings.HasSuffix(text, spelling.Notice)).
		String("sha256", hex.EncodeToString(sum[:])).Value()
}

func forkFrom(b *sandbox) []part {
	ctx := context.Background()
	before, err := os.ReadFile(b.file())
	b.must(err)
	artifact := filepath.Join(b.dir, "s", "0.bash.log")
	b.must(os.MkdirAll(filepath.Dir(artifact), 0o700))
	b.must(os.WriteFile(artifact, []byte("out"), 0o600))
	o := b.options()
	o.Dir = b.argText("sessionDir")
	s, err := session.ForkFrom(ctx, b.file(), b.argText("targetCwd"), o)
	b.must(err)
	b.s = s
	rel, err := filepath.Rel(b.dir, s.Path())
	b.must(err)
	lines, err := b.lines(ctx, step{name: "file", args: []jsontext.Value{jsonedit.Quoted("session")}})
	b.must(err)
	after, err := os.ReadFile(b.file())
	b.must(err)
	_, noArtifact := s.Artifact(0)
	_, missing := session.ForkFrom(ctx, filepath.Join(b.dir, "missing.jsonl"), b.dir, o)
	if missing == nil {
		b.t.Error("a missing source was forked")
		missing = os.ErrExist
	}
	return b.byKey(new(jsonedit.Object).String("file", rel).Add("lines", lines).
		Bool("sourceUnchanged", string(before) == string(after)).
		Bool("artifactCopied", noArtifact == nil).
		String("missingSourceError", missing.Error()).
		Add("missingSource", outcome(nil, missing)).Value())
}

func moveTo(b *sandbox) []part {
	ctx := context.Background()
	o := b.options()
	o.FirstWrite = session.Immediately
	cwd, _ := jsonedit.String(b.input("cwd"))
	s, err := session.Create(ctx, cwd, o)
	b.must(err)
	b.s = s
	name, _ := jsonedit.String(b.input("artifact"))
	old, oldArtifacts := s.Path(), s.ArtifactDir()
	b.must(os.MkdirAll(oldArtifacts, 0o700))
	b.must(os.WriteFile(filepath.Join(oldArtifacts, name), nil, 0o600))
	b.must(s.Move(ctx, b.argText("newCwd")))
	exists := func(path string) bool { _, err := os.Lstat(path); return err == nil }
	data, err := os.ReadFile(s.Path())
	b.must(err)
	header, _, _ := strings.Cut(string(data), "\n")
	headerCwd, _ := jsonedit.Get(jsontext.Value(header), "cwd")
	return b.byKey(new(jsonedit.Object).
		String("newDir", filepath.Base(filepath.Dir(s.Path()))).
		Bool("sameBaseName", filepath.Base(old) == filepath.Base(s.Path())).
		Bool("oldExists", exists(old)).Bool("artifactMoved", exists(filepath.Join(s.ArtifactDir(), name))).
		Bool("oldArtifactsExist", exists(oldArtifacts)).Add("headerCwd", headerCwd).Value())
}

// blobFiles lists a directory of blobs by name.
func (b *sandbox) blobFiles(dir string) []os.FileInfo {
	list, err := os.ReadDir(dir)
	b.must(err)
	var all []os.FileInfo
	for _, f := range list {
		info, err := f.Info()
		b.must(err)
		all = append(all, info)
	}
	slices.SortFunc(all, func(x, y os.FileInfo) int { return strings.Compare(x.Name(), y.Name()) })
	return all
}
