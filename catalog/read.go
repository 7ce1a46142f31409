package catalog

import (
	"context"
	"errors"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/journal"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/pathname"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/internal/usage"
	"github.com/cambium-dev/cambium/layout"
)

const (
	// maxHeld is the longest line that is held while it is looked at, in bytes;
	// of a longer one its envelope, its text's beginning and its cost are read.
	maxHeld = 8 << 20
	// maxRead is the longest line that is read by itself for its text.
	maxRead = 64 << 20
	// tries is how often a file that changes while it is read is read.
	tries = 3
)

// A reader describes files, one after another. It is for one goroutine.
type reader struct {
	o     *Options
	kin   *kin
	had   func(ctx context.Context, parent string, child file) []uint64 // what a parent spent
	pass  journal.Pass
	f     facts
	spent *usage.Reader                     // nil where nobody watches
	known map[dialect.Name]spelling.Dialect // those met so far
	line  []byte                            // of the last message
	none  entry.List                        // has nothing
}

func newReader(o *Options, k *kin) *reader {
	r := &reader{o: o, kin: k, had: k.spent, known: map[dialect.Name]spelling.Dialect{}, none: entry.List{Index: entry.NewIndex()}}
	r.f.scanner, r.f.seed, r.f.text = newScanner(), k.seed, o.Text
	r.pass = journal.Pass{Scanner: r.f.scanner, Entry: r.f.entry, ParseSlot: spelling.ParseSlot, MaxLine: maxHeld}
	if o.watch.On() {
		r.spent = usage.NewReader(r.f.scanner)
		r.pass.Entry = func(e *entry.Envelope, line []byte, at entry.At) {
			r.f.entry(e, line, at)
			r.spent.Entry(e, at)
		}
	}
	return r
}

// A finding is what was found in a file.
type finding struct {
	info  Info
	none  bool // it is no session, or another project's
	keep  bool // the index may keep it
	away  bool // it could not be read, so that nobody knows whose it is
	stamp source.Stamp
}

// describe reads one file.
func (r *reader) describe(ctx context.Context, f file) finding {
	got := finding{info: r.o.blank(f)}
	if !f.mode.IsRegular() {
		got.info.flag("not a regular file")
		got.away = true
		return got
	}
	if f.stamp.Size == 0 {
		got.none = true
		return got
	}
	log, err := r.o.source().Open(ctx, f.name())
	if err != nil {
		got.info.flag(cause(err))
		got.away = true
		return got
	}
	defer func() { _ = log.Close() }() // nothing was written
	if r.o.CWD != "" && !r.o.mayBelong(log) {
		got.none = true
		return got
	}
	for try := 1; ; try++ {
		now, g, err := r.read(ctx, log, f.agent)
		if err != nil && (try < tries && errors.Is(err, io.ErrUnexpectedEOF)) {
			continue
		}
		if err != nil {
			got.info.flag(cause(err))
			got.away = true
			return got
		}
		after, err := log.Stat()
		same := err == nil && after.Size == now.Size && after.ModTime == now.ModTime
		if !same && g.Damage.BadCount > 0 && try < tries {
			continue // perhaps somebody is in the middle of a line
		}
		f.stamp, f.mode = now.Stamp, now.Mode.Type()
		got.info, got.stamp = r.o.blank(f), f.stamp
		got.none = !r.fill(ctx, &got.info, f, g, log)
		if got.keep = same; same && r.spent != nil {
			r.tell(f, g, log)
		}
		return got
	}
}

// read passes over the log once. It lies in the home of an agent, "" for none.
func (r *reader) read(ctx context.Context, log source.File, agent dialect.Name) (source.State, *journal.Glance, error) {
	r.f.load = func(at entry.At) []byte { return long(log, at) }
	r.f.reset()
	if r.spent != nil {
		r.spent.Reset(usage.CopiesOf(agent))
	}
	info, err := log.Stat()
	if err != nil {
		return info, nil, err
	}
	g, err := r.pass.Read(ctx, log, source.Length(log, info))
	return info, g, err
}

// tell tells the watch what the session that was read took and cost.
func (r *reader) tell(f file, g *journal.Glance, log io.ReaderAt) {
	var charges []usage.Charge
	if g.Found != journal.NotASession {
		charges = r.spent.Charges(g.Header.Raw, onBranch(g, log))
	}
	r.o.watch.Tell(f.path, stateOf(&f.stamp), charges)
}

// stateOf is a stamp as a watch knows it.
func stateOf(is *source.Stamp) usage.State {
	return usage.State{Dev: is.Dev, Ino: is.Ino, Size: is.Size, ModTime: is.ModTime}
}

// onBranch returns which entries are on the branch on which a session goes on, by
// position, nil for all: a session of the first version has no branches.
func onBranch(is *journal.Glance, log io.ReaderAt) []bool {
	list := is.List()
	if list == nil || is.Header.Version < 2 && !list.Named() {
		return nil
	}
	list.Load = func(i int) ([]byte, error) { return readLine(log, list.At(i)) }
	t := tree.New(list, is.Gaps)
	active := make([]bool, list.Len())
	for _, i := range t.Path(t.Leaf(), tree.Healed) {
		active[i] = true
	}
	return active
}

// long reads a line that is longer than is held, unless it is much longer: then
// nothing is.
func long(log io.ReaderAt, at entry.At) []byte {
	if at.Len > maxRead {
		return nil
	}
	line := make([]byte, at.Len)
	if _, err := log.ReadAt(line, at.Off); err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return line
}

// blank returns what is known of a file without reading it.
func (o *Options) blank(f file) Info {
	info := Info{
		Path: f.path, Agent: f.agent, Size: f.stamp.Size, Status: UnknownEnd,
		ModTime: unix(f.stamp.ModTime), Modified: unix(f.stamp.ModTime), FirstMessage: NoMessages,
	}
	return info
}

// flag says that something is wrong with a file that cannot be read.
func (i *Info) flag(detail string) {
	i.Damaged, i.Detail = true, detail
	if _, id, ok := ident.ParseFileName(base(i.Path)); ok {
		i.ID = id
	}
}

// fill tells what was gathered, and reports false for what is no session.
func (r *reader) fill(ctx context.Context, info *Info, f file, g *journal.Glance, log source.File) bool {
	switch g.Found {
	case journal.NotASession:
		info.flag("not a session")
		return true
	case journal.Missing, journal.Empty:
		return false
	}
	h := &g.Header
	info.ID, info.CWD, info.Parent = h.ID, h.CWD, h.ParentSession
	if ms, ok := jsonedit.ParseTime(h.Timestamp); ok {
		info.Created = time.UnixMilli(ms).UTC()
	}
	if g.Found == journal.NoHeader {
		if _, id, ok := ident.ParseFileName(base(f.path)); ok {
			info.ID = id
		}
	}
	rules := r.rules(f.agent, h)
	info.Agent = rules.Name
	if d := g.Damage; d.Any() {
		info.Damaged, info.Detail = d.BadCount > 0 || d.HeaderRebuilt, d.String()
	}
	info.Tips = r.tips(g)
	info.Messages = r.f.messages
	if r.f.first != "" {
		info.FirstMessage = r.f.first
	}
	info.Text = string(r.f.said)
	if rules.Name == dialect.Pi {
		switch {
		case r.f.latest > 0:
			info.Modified = time.UnixMilli(r.f.latest).UTC()
		case !info.Created.IsZero():
			info.Modified = info.Created
		}
	}
	info.Status = r.status(log)
	if r.f.model != "" {
		info.Model = strings.TrimPrefix(r.f.provider+"/"+r.f.model, "/")
	}
	r.title(info, rules, h)
	r.cost(ctx, info, f, log, source.Length(log, source.State{Stamp: f.stamp}))
	return true
}

// rules returns the dialect of the session that was read.
func (r *reader) rules(home dialect.Name, h *entry.Header) spelling.Dialect {
	name := spelling.NameOf(home, h, r.f.marks)
	d, ok := r.known[name]
	if !ok {
		d = spelling.Reading(name)
		r.known[name] = d
	}
	return d
}

// tips names the ends of the other live branches.
func (r *reader) tips(g *journal.Glance) (ids []string) {
	if g.Straight {
		return nil
	}
	list := g.List()
	branches := tree.New(list, g.Gaps)
	for _, tip := range branches.Elsewhere(branches.Leaf()) {
		if id, ok := list.ID(tip.Entry); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// title gives a session its name, else the short summary of its last
// compaction.
func (r *reader) title(info *Info, rules spelling.Dialect, h *entry.Header) {
	list := &r.none
	if len(r.f.name) > 0 {
		list, _ = entry.NewList([][]byte{r.f.name}) // it was scanned: no error
	}
	if name, _, err := rules.Title(h, list); err == nil {
		info.Title, info.Named = name, name != ""
	}
	if info.Title == "" && len(r.f.compaction) > 0 {
		info.Title, _ = jsonedit.Text(r.f.compaction, "shortSummary")
	}
}

// status tells how the conversation stands by its last message.
func (r *reader) status(log io.ReaderAt) Status {
	switch r.f.lastRole {
	case entry.RoleUser:
		return Pending
	case entry.RoleToolResult:
		return Interrupted
	case entry.RoleAssistant:
	default:
		return UnknownEnd
	}
	switch r.f.stop {
	case ofError:
		return Failed
	case ofAbort:
		return Aborted
	case ofLength:
		return Interrupted
	}
	if r.f.lastLong {
		if r.f.stop == ofTool {
			return Interrupted
		}
		return Complete
	}
	line := slices.Grow(r.line[:0], int(r.f.last.Len))[:r.f.last.Len]
	r.line = line
	if _, err := log.ReadAt(line, r.f.last.Off); err != nil && !errors.Is(err, io.EOF) {
		return UnknownEnd
	}
	content, _ := jsonedit.Path(line, "message", "content")
	for block := range jsonedit.Elements(content) {
		if kind, _ := jsonedit.Text(block, "type"); kind == "toolCall" {
			return Interrupted
		}
	}
	return Complete
}

// cost sums what was spent, that of a fork apart from what it copied.
func (r *reader) cost(ctx context.Context, info *Info, f file, log io.ReaderAt, size int64) {
	c := &r.f.costs
	if info.Parent != "" && len(c.each) > 0 {
		had := r.had(ctx, info.Parent, f)
		switch {
		case len(had) == 0:
		case c.full:
			again := costs{had: had}
			if r.kin.pass(ctx, log, size, again.add) == nil {
				*c = again
			}
		default:
			c.divide(had)
		}
	}
	info.Usage, info.Inherited = c.own, c.inherited
	info.Forked = info.Parent != ""
}

// mayBelong reports whether a file may be of the project that was asked for: it
// is, or its header is not at its beginning.
func (o *Options) mayBelong(log io.ReaderAt) bool {
	h, ok := headerOf(log)
	return !ok || o.same(h.CWD)
}

// lies reports whether a file is where the sessions of the working directory asked for
// are: of one that cannot be read nothing else tells whose it is.
func (o *Options) lies(f file) bool {
	dir := base(strings.TrimSuffix(strings.TrimSuffix(f.path, base(f.path)), "/"))
	return slices.Contains(places.DirNames(string(f.agent), o.CWD, o.Env), dir)
}

// same reports whether a header's cwd is the working directory asked for.
func (o *Options) same(cwd string) bool {
	return cwd == o.CWD || machine(o.Env).Same(cwd, o.CWD)
}

// machine is what paths of an environment are compared by.
func machine(env layout.Env) pathname.Machine {
	m := pathname.Machine{Home: env.Home, Real: env.Real, Exists: env.Exists}
	if env.Separator == '\\' {
		m.Kind = pathname.Windows
	}
	if env.Getenv != nil {
		m.Distro = env.Getenv("WSL_DISTRO_NAME")
	}
	return m
}

// cause returns the innermost message of an error: the row has the path.
func cause(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		return text[i+2:]
	}
	return text
}

func base(p string) string { return p[lastSlash(p)+1:] }

// lastSlash returns where the last element of a path begins, less one. Paths come from
// the system with its own separators, and with slashes from a store.
func lastSlash(p string) int {
	at := strings.LastIndexByte(p, '/')
	if filepath.Separator != '/' {
		at = max(at, strings.LastIndexByte(p, filepath.Separator))
	}
	return at
}

// isAbs reports whether a path is absolute, on a machine or in a store.
func isAbs(p string) bool { return path.IsAbs(p) || filepath.IsAbs(p) }
