package codex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/mosaic"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/klauspost/compress/zstd"
)

const (
	// maxBases is how many files a thread goes back through.
	maxBases = 64
	// A compressed file is read if it has at most maxUnpacked bytes, and no more than
	// maxRatio times what it has compressed or, where that is little, freeUnpacked.
	maxUnpacked  = 1 << 30
	maxRatio     = 200
	freeUnpacked = 64 << 20
	// maxLine is how long a line may be that is looked into, in bytes.
	maxLine = 64 << 20
)

// A reader makes the lines of one thread.
type reader struct {
	ctx   context.Context
	fs    vfs.FS
	path  string // of the file, with slashes
	w     foreign.Writer
	read  map[string]bool   // the files that were begun
	taken map[string]int    // the ids of entries, and how many there were of each
	names map[string]string // the tools of calls

	meta meta
	spot
	when string // the time of the line, or the last one before it

	last          string   // the entry that was written last
	turns         []string // the entries before each prompt
	model, effort string
	answer        answer
	name          string // of the thread
}

// A spot is the line that is read.
type spot struct {
	file  int
	off   int64
	line  []byte
	n     int
	base  string // what names the lines of the file
	found [3]jsonl.Span
}

// valid reports what is wrong with a JSON text.
func valid(raw []byte) error { return jsonl.Valid(raw) }

// meta is what a thread says of itself.
type meta struct {
	found                                            bool
	id, time, cwd, parent, provider, version, branch string
}

// An answer is one that is being written.
type answer struct {
	open, aborted bool
	id, failed    string
	calls         int
	response      string
	usage         []byte
}

var lineQuery = jsonl.Query{Keys: []string{"timestamp", "type", "payload"}, Inside: -1}

// open opens a file, as it is at that time.
func (r *reader) open(name string) (mosaic.File, int64, error) {
	f, err := r.fs.Open(name, os.O_RDONLY)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil || !strings.HasSuffix(name, packed) {
		return f, info.Size, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	text, err := unpack(r.ctx, io.NewSectionReader(f, 0, info.Size), min(max(maxRatio*info.Size, freeUnpacked), maxUnpacked))
	if err != nil {
		return nil, 0, fmt.Errorf("unpack %q: %w", name, err)
	}
	return unpacked{bytes.NewReader(text)}, int64(len(text)), nil
}

// unpack decompresses a file that has at most so many bytes. Of one that is torn it returns what
// comes before.
func unpack(ctx context.Context, from io.Reader, most int64) ([]byte, error) {
	d, err := zstd.NewReader(from, zstd.WithDecoderMaxMemory(uint64(most)), zstd.WithDecoderMaxWindow(freeUnpacked), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var text bytes.Buffer
	for {
		n, err := io.CopyN(&text, d, 1<<20)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case int64(text.Len()) > most:
			return nil, fmt.Errorf("it has more than %d bytes, which is too much for one so small", most)
		case err != nil && text.Len() == 0 && n == 0 && !errors.Is(err, io.EOF):
			return nil, err
		case err != nil:
			return text.Bytes(), nil
		}
	}
}

// unpacked is a file that was compressed.
type unpacked struct{ *bytes.Reader }

func (unpacked) Close() error { return nil }

// thread reads a file, after what it goes on from.
func (r *reader) thread(name string) error {
	f, size, err := r.open(name)
	if err != nil {
		return err
	}
	own := r.w.Lines.File(f)
	r.read[filepath.Base(name)] = true
	first, err := firstLine(r.ctx, f, size)
	if err != nil {
		return err
	}
	r.head(first)
	if base, ok := jsonedit.Path(first, "payload", "history_base"); ok && jsonedit.Kind(base) == '{' {
		r.behind(name, base, 0)
	}
	r.title(name)
	if err := r.lines(f, own, size, name); err != nil {
		return err
	}
	r.flush()
	if r.name != "" {
		id := r.id("title")
		r.w.Entry("session_info", id, r.last, r.time())
		r.w.Text("name", r.name)
		r.done(id)
	}
	return nil
}

// firstLine returns the first line of a file.
func firstLine(ctx context.Context, f io.ReaderAt, size int64) (first []byte, err error) {
	err = jsonl.Lines(f, 0, size, jsonl.Options{MaxLine: maxLine}, func(line jsonl.Line) error {
		first = bytes.Clone(line.Bytes)
		return errors.Join(ctx.Err(), jsonl.ErrStop)
	})
	return first, err
}

// head takes in what a thread says of itself.
func (r *reader) head(line []byte) {
	p, _ := jsonedit.Get(line, "payload")
	text := func(keys ...string) string {
		v, _ := jsonedit.Path(p, keys...)
		s, _ := jsonedit.String(v)
		return s
	}
	kind, _ := jsonedit.Text(line, "type")
	if kind != "session_meta" {
		return
	}
	r.meta = meta{
		found: true, id: text("id"), time: text("timestamp"), cwd: text("cwd"), provider: text("model_provider"),
		version: text("cli_version"), branch: text("git", "branch"),
	}
	r.meta.parent = text("forked_from_id")
	if r.meta.parent == "" {
		r.meta.parent = text("parent_thread_id")
	}
}

// behind reads what a thread goes on from: another file, up to a byte.
func (r *reader) behind(name string, base []byte, deep int) {
	thread, _ := jsonedit.Text(base, "thread_id")
	raw, _ := jsonedit.Get(base, "end_byte_offset")
	end, ok := jsonedit.Int(raw)
	file := r.find(name, thread)
	if file == "" || r.read[filepath.Base(file)] || deep >= maxBases || !ok || end < 0 {
		r.missing(thread)
		return
	}
	f, size, err := r.open(file)
	if err != nil {
		r.missing(thread)
		return
	}
	own := r.w.Lines.File(f)
	r.read[filepath.Base(file)] = true
	if first, err := firstLine(r.ctx, f, size); err == nil {
		if before, ok := jsonedit.Path(first, "payload", "history_base"); ok && jsonedit.Kind(before) == '{' {
			r.behind(file, before, deep+1)
		}
	}
	if r.lines(f, own, min(end, size), file) != nil {
		r.missing(thread)
	}
}

// missing says that what a thread goes on from is not there, or not all of it.
func (r *reader) missing(thread string) {
	r.flush()
	id := r.id("missing-" + thread)
	r.w.Entry("custom", id, r.last, r.time())
	r.w.Text("customType", "codex.missing")
	r.w.Key("data")
	r.w.Open('{')
	r.w.Text("thread", thread)
	r.w.Close('}')
	r.done(id)
}

// find returns the file whose name ends with a thread or a segment, "" for none. It looks
// beside the file, and in the directories of all days.
func (r *reader) find(name, thread string) string {
	if len(thread) != 36 {
		return ""
	}
	dir := filepath.Dir(name)
	dirs := []string{dir}
	if root := filepath.Dir(filepath.Dir(filepath.Dir(dir))); filepath.Base(root) == "sessions" {
		dirs = append(dirs, program{}.days(r.fs, root)...)
		dirs = append(dirs, filepath.Join(filepath.Dir(root), "archived_sessions"))
	}
	for _, dir := range dirs {
		names, err := r.fs.Names(dir)
		if err != nil {
			continue
		}
		for _, file := range names {
			if m := fileName.FindStringSubmatch(file); m != nil && (m[2] == thread || m[2] == "" && m[1] == thread) {
				return filepath.Join(dir, file)
			}
		}
	}
	return ""
}

// days returns the directories of all days.
func (program) days(fsys vfs.FS, root string) (dirs []string) {
	names := func(dir string) []string { all, _ := fsys.Names(dir); return all }
	for _, year := range names(root) {
		for _, month := range names(filepath.Join(root, year)) {
			for _, day := range names(filepath.Join(root, year, month)) {
				dirs = append(dirs, filepath.Join(root, year, month, day))
			}
		}
	}
	return dirs
}

// title notes the name that the program's own index has for the thread: the last one.
func (r *reader) title(name string) {
	for _, dir := range []string{filepath.Dir(name), filepath.Dir(filepath.Dir(name)), filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(name)))))} {
		f, err := r.fs.Open(filepath.Join(dir, "session_index.jsonl"), os.O_RDONLY)
		if err != nil {
			continue
		}
		info, err := f.Stat()
		if err == nil {
			_ = jsonl.Lines(f, 0, info.Size, jsonl.Options{MaxLine: 1 << 20}, func(line jsonl.Line) error {
				if id, _ := jsonedit.Text(line.Bytes, "id"); id == r.meta.id && id != "" {
					if title, ok := jsonedit.Text(line.Bytes, "thread_name"); ok {
						r.name = title
					}
				}
				return r.ctx.Err()
			}) // a name that cannot be read is none
		}
		_ = f.Close() // nothing was written
		return
	}
}

// lines reads a file up to a byte.
func (r *reader) lines(f mosaic.File, file int, end int64, name string) error {
	r.file, r.n = file, 0
	r.base = "line"
	if m := fileName.FindStringSubmatch(filepath.Base(name)); m != nil {
		id := m[1]
		if m[2] != "" {
			id = m[2]
		}
		r.base = id[len(id)-12:]
	}
	err := jsonl.Lines(f, 0, end, jsonl.Options{MaxLine: maxLine}, func(line jsonl.Line) error {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		r.n++
		r.off, r.line = line.Off, line.Bytes
		r.record(line)
		return nil
	})
	return err
}

// record writes what is to be written of a line.
func (r *reader) record(line jsonl.Line) {
	if len(jsonl.Trim(line.Bytes, 0).In(line.Bytes)) == 0 && line.Bytes != nil {
		return
	}
	if line.Bytes == nil {
		r.flush()
		id := r.id(r.place())
		r.w.Entry("custom", id, r.last, r.time())
		r.w.Text("customType", "codex.long")
		r.w.Raw("data", fmt.Appendf(nil, `{"offset":%d,"bytes":%d}`, line.Off, line.Len))
		r.done(id)
		return
	}
	if lineQuery.Scan(line.Bytes, r.found[:]) != nil {
		r.flush()
		r.w.Lines.Cut(r.file, line.Off, line.Bytes)
		r.w.End()
		return
	}
	if when, ok := jsonedit.String(r.found[0].In(r.line)); ok {
		if _, ok := jsonedit.ParseTime(when); ok {
			r.when = when
		}
	}
	kind, _ := jsonedit.String(r.found[1].In(r.line))
	payload := r.found[2].In(r.line)
	switch kind {
	case "session_meta", "world_state":
	case "turn_context":
		r.context(payload)
	case "response_item":
		r.item(payload)
	case "event_msg":
		r.event(payload)
	case "compacted":
		r.compacted(payload)
	case "token_usage_record":
		usage, _ := jsonedit.Get(payload, "usage")
		r.answer.usage = append(r.answer.usage[:0], usage...)
		r.answer.response, _ = jsonedit.Text(payload, "response_id")
	default:
		r.custom("codex."+kind, r.place(), r.line)
	}
}

// place names a line by its file and its number there.
func (r *reader) place() string { return r.base + "-" + strconv.Itoa(r.n) }

// time returns the time of the line, or the last one before it.
func (r *reader) time() string {
	if r.when != "" {
		return r.when
	}
	if _, ok := jsonedit.ParseTime(r.meta.time); ok {
		return r.meta.time
	}
	return "1970-01-01T00:00:00.000Z"
}

// id returns an id like the one that is wanted, which no entry has yet.
func (r *reader) id(want string) string {
	id := want
	for r.taken[id] > 0 {
		r.taken[want]++
		id = fmt.Sprintf("%s~%d", want, r.taken[want])
	}
	r.taken[id] = 1
	return id
}

// done ends an entry.
func (r *reader) done(id string) {
	r.w.Close('}')
	r.w.End()
	r.last = id
}

// cut writes a value that stands in the line.
func (r *reader) cut(key string, value []byte) {
	if len(value) == 0 {
		r.w.Raw(key, []byte("null"))
		return
	}
	off := int64(uintptr(unsafe.Pointer(&value[0])) - uintptr(unsafe.Pointer(&r.line[0])))
	r.w.Cut(key, r.file, r.off+off, value)
}

// custom writes an entry of something that has no equal.
func (r *reader) custom(kind, want string, data []byte) {
	r.flush()
	id := r.id(want)
	r.w.Entry("custom", id, r.last, r.time())
	r.w.Text("customType", kind)
	r.cut("data", data)
	r.done(id)
}

// header returns the line of the header.
func (r *reader) header() []byte {
	id := r.meta.id
	if m := fileName.FindStringSubmatch(filepath.Base(r.path)); m != nil && id == "" {
		id = m[1]
	}
	out := []byte(`{"type":"session","version":3,"id":`)
	out = jsonedit.Quote(out, id)
	out = append(out, `,"timestamp":`...)
	out = jsonedit.Quote(out, r.meta.time)
	out = append(out, `,"cwd":`...)
	out = jsonedit.Quote(out, r.meta.cwd)
	if r.meta.parent != "" && r.meta.parent != id {
		out = append(out, `,"parentSession":`...)
		out = jsonedit.Quote(out, r.meta.parent)
	}
	out = append(out, `,"codex":{"version":`...)
	out = jsonedit.Quote(out, r.meta.version)
	if r.meta.branch != "" {
		out = append(out, `,"gitBranch":`...)
		out = jsonedit.Quote(out, r.meta.branch)
	}
	return append(out, "}}\n"...)
}
