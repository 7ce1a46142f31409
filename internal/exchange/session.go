package exchange

import (
	"context"
	"errors"
	"fmt"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/cambium-dev/cambium/storage"
)

// maxTries is how often a session is read again that somebody writes to.
const maxTries = 20

var (
	// errAgain: a log is not what was read any more. Read it again.
	errAgain = errors.New("it changed meanwhile")
	errBusy  = fmt.Errorf("others wrote to it at each of %d tries; the next run does the rest", maxTries)
)

// unite brings one session together.
func (r *run) unite(ctx context.Context, p *pair) (Moved, error) {
	m := Moved{Agent: p.agent, ID: p.id}
	for range maxTries {
		var err error
		if p.here != nil && p.there != nil {
			var done bool
			if done, err = r.quick(ctx, p, &m); !done && err == nil {
				err = r.both(ctx, p, &m)
			}
		} else {
			err = r.copyWhole(ctx, p, &m)
		}
		if !errors.Is(err, errAgain) {
			return r.named(p, m), err
		}
		p.clashed = true
		if err := ctx.Err(); err != nil {
			return m, err
		}
	}
	return r.named(p, m), errBusy
}

func (r *run) named(p *pair, m Moved) Moved {
	if p.here != nil {
		m.Here = p.here.name
	}
	if p.there != nil {
		m.There = p.there.name
	}
	return m
}

// both unites a session that both sides have.
func (r *run) both(ctx context.Context, p *pair, m *Moved) (err error) {
	here, err := r.here.read(ctx, p.here, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, here.close()) }()
	there, err := r.there.read(ctx, p.there, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, there.close()) }()
	m.Damaged = here.log.Damage().BadCount + there.log.Damage().BadCount

	if err := errors.Join(here.link(there), there.link(here)); err != nil {
		return err
	}
	toThere, toHere := there.lacks(here), here.lacks(there)
	m.Relinked = here.relinked(toThere) + there.relinked(toHere)
	s, err := settle(here, there, toHere, toThere)
	if err != nil {
		return err
	}
	m.Diverged = m.Diverged || len(toThere) > 0 && len(toHere) > 0
	grows := [2]bool{len(toThere)+len(s.lines) > 0, len(toHere)+len(s.lines) > 0}
	if !r.opt.DryRun {
		again, err := r.migrate(ctx, there, grows[0])
		if again || err != nil {
			return errors.Join(err, errIf(again))
		}
		if again, err = r.migrate(ctx, here, grows[1]); again || err != nil {
			return errors.Join(err, errIf(again))
		}
	}
	out := r.sending(here, there, 0, &m.Out)
	in := r.sending(there, here, 1, &m.In)
	if err := errors.Join(out.artifacts(ctx), in.artifacts(ctx)); err != nil {
		return err
	}
	if err := out.entries(ctx, there.log.Mark(), toThere, s.lines); err != nil {
		return m.after(out, err)
	}
	if err := in.entries(ctx, here.log.Mark(), toHere, s.lines); err != nil {
		return m.after(in, err)
	}
	m.Settled += len(s.lines)
	title, err := r.titles(ctx, p, in, out)
	if err != nil {
		return err
	}
	m.MissingBlobs, m.LeftArtifacts = out.missing+in.missing, out.left+in.left
	digests := here.with(s.lines, digestsOf(there, toHere)...)
	if here.old() || there.old() {
		digests = nil // it reads otherwise when it is migrated
	}
	r.note(ctx, p, in.mark, out.mark, title, digests)
	return nil
}

// digestsOf are those of some entries.
func digestsOf(r *reading, entries []int) []digest {
	all := make([]digest, len(entries))
	for n, i := range entries {
		all[n] = r.digests[i]
	}
	return all
}

// after is how it stands when sending ended with an error.
func (m *Moved) after(s *sending, err error) error {
	m.MissingBlobs += s.missing
	return err
}

func errIf(again bool) error {
	if again {
		return errAgain
	}
	return nil
}

// note remembers a pair as it was left.
// The digests are those of the entries here, nil if they are not known.
func (r *run) note(ctx context.Context, p *pair, here, there storage.Mark, title string, digests []digest) {
	if r.opt.DryRun {
		return
	}
	r.mu.Lock()
	linked := r.linked[p.here.name]
	r.mu.Unlock()
	if linked {
		return
	}
	k := known{there: p.there.name, here: here, thereMark: there, title: title, beside: noShelves}
	if p.here.shelved || p.there.shelved {
		k.beside = r.here.shelfMark(ctx, p.here) + "," + r.there.shelfMark(ctx, p.there)
	}
	if digests != nil {
		k.entries, k.sum = len(digests), sumOf(digests)
	}
	r.known.note(p.here.name, k)
}

// migrate brings a session of an older version up to date, if it is to be
// appended to, and reports whether it did.
func (r *run) migrate(ctx context.Context, at *reading, grows bool) (bool, error) {
	if !grows || !at.old() {
		return false, nil
	}
	o := vfs.On(session.Options{
		Dialect: dialect.Name(at.at.agent), Env: at.side.env, AgentDir: at.side.over(at.at.agent).AgentDir,
		Blobs: at.side.blobs,
	}, at.side.fsys)
	if at.side.fsys == nil {
		o.Store = at.side.store
	}
	s, err := session.Open(ctx, at.at.name, o)
	if err != nil {
		return false, err
	}
	return true, s.Close()
}

// copyWhole writes a session that one side has on the other.
func (r *run) copyWhole(ctx context.Context, p *pair, m *Moved) (err error) {
	from, to, way, amount := &r.here, &r.there, 0, &m.Out
	at, made := p.here, &p.there
	if at == nil {
		from, to, way, amount = &r.there, &r.here, 1, &m.In
		at, made = p.there, &p.here
	}
	src, err := from.read(ctx, at, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.close()) }()
	m.Damaged = src.log.Damage().BadCount
	if m.Relinked, err = src.linkAll(); err != nil {
		return err
	}
	header, cwd, err := r.header(src, way)
	if err != nil {
		return err
	}
	head, err := src.slot(ctx)
	if err != nil {
		return err
	}
	dst := &logAt{agent: at.agent, header: src.log.Header()}
	dst.header.CWD = cwd
	s := r.sending(src, &reading{side: to, at: dst}, way, amount)
	beside, err := s.hasArtifacts(ctx)
	if err != nil {
		return err
	}
	found, err := r.newName(ctx, to, at, dst, p.clashed || beside)
	if err != nil {
		return err
	}
	if found {
		*made = dst // somebody was quicker
		return errAgain
	}
	if beside {
		if err := s.artifacts(ctx); err != nil {
			return err
		}
	}
	s.head = append(head, header)
	if err := s.whole(ctx); err != nil {
		m.MissingBlobs += s.missing
		return err
	}
	amount.Sessions++
	if !r.opt.DryRun {
		*made = dst
	}
	m.MissingBlobs, m.LeftArtifacts = m.MissingBlobs+s.missing, s.left
	if r.opt.DryRun {
		return nil
	}
	h := src.log.Header()
	title, _ := h.Effective()
	marks := [2]storage.Mark{src.log.Mark(), s.mark}
	r.note(ctx, p, marks[way], marks[1-way], title, nil)
	return nil
}

// header returns the header line of a session as the other side has it, and the
// working directory in it. It is the one line that may differ.
func (r *run) header(src *reading, way int) (line []byte, cwd string, err error) {
	h := src.log.Header()
	if cwd = h.CWD; way == 0 {
		cwd = r.paths.out(cwd)
	} else if cwd, err = r.paths.in(cwd); err != nil {
		return nil, "", err
	}
	line = spelling.MigrateHeader(h.Raw)
	if cwd != h.CWD {
		line = withCWD(line, cwd)
	}
	return line, cwd, nil
}

// slot returns the title slot line of a session, if it has one.
func (r *reading) slot(ctx context.Context) ([][]byte, error) {
	if r.log.Header().Slot == nil {
		return nil, nil
	}
	for line, err := range r.log.Lines(ctx) {
		if err != nil {
			return nil, err
		}
		if _, ok := spelling.ParseSlot(line.Bytes); ok {
			return [][]byte{append([]byte(nil), line.Bytes...)}, nil
		}
	}
	return nil, nil
}
