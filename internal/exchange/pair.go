package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/storage"
)

// ErrEmptied: the other side has no session at all any more. A drive may not be
// mounted. Nothing was written; Options.Anew sends all of them again.
var ErrEmptied = errors.New("nothing is there any more")

// A pair is one session on both sides; nil where a side has none.
type pair struct {
	agent, id   string
	here, there *logAt
	title       string // that both had when they were united last
	named       bool   // title is known
	clashed     bool   // the name that it was to have is taken, or was
}

func (p *pair) size() int64 {
	n := int64(0)
	for _, l := range []*logAt{p.here, p.there} {
		if l != nil {
			n += l.size
		}
	}
	return n
}

// lists are the logs of an agent on both sides.
type lists struct {
	agent       string
	here, there []*logAt
	// hidesHere and hidesThere say that there are directories that cannot be read.
	hidesHere, hidesThere bool
}

// find lists both sides and returns the pairs that may have something to do, and
// how many have nothing, as the remembered marks tell.
func (r *run) find(ctx context.Context) (todo []*pair, settled int, err error) {
	filled := false
	var all []lists
	for _, agent := range r.opt.agents() {
		l := lists{agent: agent}
		if l.here, err = r.here.logs(ctx, agent, r.fails(agent, &l.hidesHere)); err != nil {
			return nil, 0, err
		}
		if l.there, err = r.there.logs(ctx, agent, r.fails(agent, &l.hidesThere)); err != nil {
			return nil, 0, err
		}
		if l.hidesHere || l.hidesThere {
			r.known.keepAll() // what is remembered of what is hidden stays
		}
		filled = filled || len(l.there) > 0
		all = append(all, l)
	}
	if seen := len(r.known.was); !filled && seen > 0 && len(r.opt.Agents) == 0 && !r.opt.Anew {
		return nil, 0, fmt.Errorf("%w: there were %d sessions", ErrEmptied, seen)
	}
	r.assign(ctx, all)
	for _, l := range all {
		here, there, n := r.unsettled(ctx, l.here, l.there)
		settled += n
		if here, err = r.headers(ctx, &r.here, here); err != nil {
			return nil, 0, err
		}
		if there, err = r.headers(ctx, &r.there, there); err != nil {
			return nil, 0, err
		}
		todo = append(todo, slices.DeleteFunc(r.match(l.agent, here, there), func(p *pair) bool {
			// It may be there already, where it cannot be seen.
			return p.here == nil && l.hidesHere || p.there == nil && l.hidesThere
		})...)
	}
	return todo, settled, nil
}

// assign leaves each log here to one agent, where several share a directory, as
// PI_CODING_AGENT_DIR makes them: to the one that the other side has it of, else
// to the one that its marks tell, else to the first of them.
func (r *run) assign(ctx context.Context, all []lists) {
	owners := make(map[string][]int)
	for i := range all {
		for _, l := range all[i].here {
			owners[l.name] = append(owners[l.name], i)
		}
	}
	bases := make([]map[string]bool, len(all))
	for i := range all {
		bases[i] = make(map[string]bool, len(all[i].there))
		for _, l := range all[i].there {
			bases[i][filepath.Base(filepath.FromSlash(l.name))] = true
		}
	}
	for name, of := range owners {
		if len(of) < 2 {
			continue
		}
		i := slices.IndexFunc(of, func(i int) bool { return bases[i][filepath.Base(name)] })
		if i < 0 {
			told := r.here.marked(ctx, name)
			i = max(0, slices.IndexFunc(of, func(i int) bool { return all[i].agent == told }))
		}
		owners[name] = of[i : i+1]
	}
	for i := range all {
		all[i].here = slices.DeleteFunc(all[i].here, func(l *logAt) bool { return owners[l.name][0] != i })
	}
}

// fails returns what is told of logs that cannot be used, and sets hides for a
// directory of them.
func (r *run) fails(agent string, hides *bool) func(string, error) {
	return func(name string, err error) {
		var unread *unreadError
		*hides = *hides || errors.As(err, &unread)
		r.fail(Failure{Agent: agent, Name: name, Err: err})
	}
}

// unsettled leaves out the logs that both are as they were when they were united
// last, with what lies beside them.
func (r *run) unsettled(ctx context.Context, here, there []*logAt) (h, t []*logAt, settled int) {
	marks := make(map[string]storage.Mark, len(there))
	others := make(map[string]*logAt, len(there))
	for _, l := range there {
		marks[l.name], others[l.name] = l.mark, l
	}
	late := r.lateShelves(ctx, here, others)
	done := make(map[string]bool)
	h = slices.DeleteFunc(here, func(l *logAt) bool {
		k, ok := r.known.of(l.name)
		if !ok || k.here != l.mark || l.mark.IsZero() || marks[k.there] != k.thereMark || done[k.there] || late[l.name] {
			return false
		}
		done[k.there] = true
		r.known.keep(l.name)
		return true
	})
	t = slices.DeleteFunc(there, func(l *logAt) bool { return done[l.name] })
	return h, t, len(done)
}

// headers reads the headers of logs, several at once, and leaves out the logs
// that have none.
func (r *run) headers(ctx context.Context, s *Side, logs []*logAt) ([]*logAt, error) {
	errs := make([]error, len(logs))
	r.each(len(logs), func(i int) { errs[i] = s.readHeader(ctx, logs[i]) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var usable []*logAt
	for i, l := range logs {
		switch {
		case errs[i] != nil && errors.Is(errs[i], storage.ErrNotExist): // it went meanwhile
		case errs[i] != nil:
			r.fail(Failure{Agent: l.agent, Name: l.name, Err: errs[i]})
		case l.header.ID != "":
			usable = append(usable, l)
		}
	}
	return usable, nil
}

// each calls f for 0 to n-1, several at once.
func (r *run) each(n int, f func(i int)) {
	next := make(chan int)
	var wait sync.WaitGroup
	for range min(r.opt.workers(), n) {
		wait.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wait.Wait()
}

// match makes pairs of the logs of an agent: those that were united before, then
// those of the same project and file name, of the same project, and of the same
// id alone.
func (r *run) match(agent string, here, there []*logAt) []*pair {
	byID := make(map[string][]*logAt)
	for _, l := range there {
		byID[l.header.ID] = append(byID[l.header.ID], l)
	}
	slices.SortFunc(here, func(a, b *logAt) int { return cmp.Compare(a.name, b.name) })
	var all []*pair
	open := here
	base := func(l *logAt) string { return filepath.Base(l.name) }
	same := []func(h, t *logAt) bool{
		func(h, t *logAt) bool { k, ok := r.known.of(h.name); return ok && k.there == t.name },
		func(h, t *logAt) bool { return r.paths.out(h.header.CWD) == t.header.CWD && base(h) == base(t) },
		func(h, t *logAt) bool { return r.paths.out(h.header.CWD) == t.header.CWD },
		func(h, t *logAt) bool { return true },
	}
	for _, is := range same {
		var rest []*logAt
		for _, h := range open {
			list := byID[h.header.ID]
			i := slices.IndexFunc(list, func(t *logAt) bool { return is(h, t) })
			if i < 0 {
				rest = append(rest, h)
				continue
			}
			all = append(all, r.pair(h, list[i]))
			byID[h.header.ID] = slices.Delete(slices.Clone(list), i, i+1)
		}
		open = rest
	}
	for _, h := range open {
		all = append(all, r.pair(h, nil))
	}
	for _, list := range byID {
		for _, t := range list {
			all = append(all, r.pair(nil, t))
		}
	}
	slices.SortFunc(all, func(a, b *pair) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.name(), b.name())) })
	return all
}

func (p *pair) name() string {
	if p.here != nil {
		return p.here.name
	}
	return p.there.name
}

func (r *run) pair(h, t *logAt) *pair {
	p := &pair{here: h, there: t}
	one := h
	if one == nil {
		one = t
	}
	p.agent, p.id = one.agent, one.header.ID
	if h != nil && t != nil {
		if k, ok := r.known.of(h.name); ok && k.there == t.name {
			p.title, p.named = k.title, true
		}
	}
	return p
}

// agents are those whose sessions are united.
func (o *Options) agents() []string {
	if len(o.Agents) > 0 {
		return o.Agents
	}
	return places.Names()
}
