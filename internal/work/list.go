package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/prompts"
)

// ListOptions say which sessions are listed.
type ListOptions struct {
	// CWD is their working directory, "" for any.
	CWD string
	// Empty lists those without a message too; Text tells all that was said.
	Empty, Text bool
	// Keep, if not nil, says which of them are listed, Sort, if not nil, in which order.
	Keep func(*catalog.Info) bool
	Sort func(a, b *catalog.Info) int
	// Limit is how many are listed, 0 for all.
	Limit int
	// Recent stops at the limit, by when files changed, and gives sessions of omp the
	// names that its history has for them, which its list of recent sessions shows
	// before all others (omp 18.2.3).
	Recent bool
}

// Sessions are sessions, newest first, which may be asked for again.
type Sessions struct {
	// All yields them; Len is how many there are.
	All iter.Seq[catalog.Info]
	Len int

	l *Library
	// seen returns what was seen of the file of session n; nil when nothing was noted.
	seen func(n int) (catalog.FileState, bool)
}

// A NoAgentDir error is for an agent directory that is not there.
type NoAgentDir struct {
	Path string
	Err  error
}

// Error says which.
func (e *NoAgentDir) Error() string {
	return fmt.Sprintf("list sessions of %q: %v", e.Path, Cause(e.Err))
}

// List finds sessions. The error may be a [*NoAgentDir].
func List(ctx context.Context, l *Library, o ListOptions) (Sessions, error) {
	if err := agentDir(l); err != nil {
		return Sessions{}, err
	}
	opt := l.Catalog()
	opt.CWD, opt.Empty, opt.Text = l.Absolute(o.CWD), o.Empty, o.Text
	step, end := l.front.progress("read sessions")
	defer end()
	opt.Progress = step
	find := rows
	if o.Recent {
		find = recent
	}
	chosen, limit := o.Keep != nil || o.Sort != nil, o.Limit
	if chosen {
		limit = 0
	}
	found, err := find(ctx, l, opt, limit)
	if err != nil {
		return found, &Error{Listing, l.SessionDir, err}
	}
	if found.l = l; chosen {
		found = found.chosen(o)
	}
	return found, nil
}

// agentDir refuses an agent directory that is not there.
func agentDir(l *Library) error {
	if l.AgentDir != "" {
		if _, err := vfs.OS().Stat(l.AgentDir); errors.Is(err, fs.ErrNotExist) {
			return &NoAgentDir{l.AgentDir, err}
		}
	}
	return nil
}

// chosen are those of the sessions that are kept, in their order, and no more than the
// limit.
func (found Sessions) chosen(o ListOptions) Sessions {
	few := Sessions{l: found.l}
	var at []int // which of all they are
	if o.Sort == nil {
		at = found.kept(o)
		few.All = found.only(at)
	} else {
		at, few.All = found.sorted(o)
	}
	few.Len = len(at)
	if found.seen != nil {
		few.seen = func(n int) (catalog.FileState, bool) { return found.seen(at[n]) }
	}
	return few
}

// kept returns which sessions are kept, no more than the limit. None is held.
func (found Sessions) kept(o ListOptions) (at []int) {
	n := -1
	for info := range found.All {
		if n++; o.Keep(&info) {
			if at = append(at, n); len(at) == o.Limit {
				break
			}
		}
	}
	return at
}

// only yields the sessions of some positions, which ascend.
func (found Sessions) only(at []int) iter.Seq[catalog.Info] {
	return func(yield func(catalog.Info) bool) {
		n, left := -1, at
		for info := range found.All {
			if n++; len(left) == 0 {
				return
			} else if n == left[0] {
				if left = left[1:]; !yield(info) {
					return
				}
			}
		}
	}
}

// sorted returns the sessions that are kept in another order, and which they are. They are
// held.
func (found Sessions) sorted(o ListOptions) (at []int, all iter.Seq[catalog.Info]) {
	type placed struct {
		info catalog.Info
		at   int
	}
	var held []placed
	n := -1
	for info := range found.All {
		if n++; o.Keep == nil || o.Keep(&info) {
			held = append(held, placed{info, n})
		}
	}
	slices.SortStableFunc(held, func(a, b placed) int { return o.Sort(&a.info, &b.info) })
	if o.Limit > 0 && len(held) > o.Limit {
		held = held[:o.Limit]
	}
	for _, p := range held {
		at = append(at, p.at)
	}
	return at, func(yield func(catalog.Info) bool) {
		for _, p := range held {
			if !yield(p.info) {
				return
			}
		}
	}
}

// rows finds all sessions, by when something was said in them.
func rows(ctx context.Context, _ *Library, opt catalog.Options, limit int) (Sessions, error) {
	found, err := catalog.ReadRows(ctx, opt)
	if err != nil {
		return Sessions{}, err
	}
	n := found.Len()
	if limit > 0 {
		n = min(n, limit)
	}
	return Sessions{Len: n, seen: found.State, All: func(yield func(catalog.Info) bool) {
		left := n
		if left == 0 {
			return
		}
		for info := range found.All() {
			if left--; !yield(info) || left == 0 {
				return
			}
		}
	}}, nil
}

// recent finds those of which the files changed last, no more than the limit.
func recent(ctx context.Context, l *Library, opt catalog.Options, limit int) (Sessions, error) {
	all, err := newest(ctx, opt, limit)
	if err != nil {
		return Sessions{}, err
	}
	title(ctx, l, all)
	return Sessions{All: slices.Values(all), Len: len(all)}, nil
}

func newest(ctx context.Context, opt catalog.Options, limit int) ([]catalog.Info, error) {
	if limit < 1 {
		return catalog.List(ctx, opt)
	}
	var all []catalog.Info
	for info, err := range catalog.Scan(ctx, opt) {
		if err != nil {
			return nil, err
		}
		if all = append(all, info); len(all) == limit {
			break
		}
	}
	return all, nil
}

// title gives sessions of omp the names that its history has for them. Without the
// history they keep theirs.
func title(ctx context.Context, l *Library, all []catalog.Info) {
	if !slices.ContainsFunc(all, func(i catalog.Info) bool { return i.Agent == dialect.Omp }) {
		return
	}
	h, err := prompts.Open(ctx, onlyOf(Prompts(l), dialect.Omp))
	if err != nil {
		return
	}
	defer h.Close() // nothing was added
	names, err := h.Titles(ctx)
	if err != nil {
		return
	}
	for i := range all {
		if name := strings.TrimSpace(names[ident.FileID(filepath.Base(all[i].Path))]); name != "" && all[i].Agent == dialect.Omp {
			all[i].Title, all[i].Named = name, true
		}
	}
}

// WithHolders yields the sessions with who has them open.
func (found Sessions) WithHolders(ctx context.Context) iter.Seq[catalog.Info] {
	who := found.l.WhoHas(ctx)
	return func(yield func(catalog.Info) bool) {
		n := 0
		for info := range found.All {
			var at *catalog.FileState
			if found.seen != nil {
				if seen, ok := found.seen(n); ok {
					at = &seen
				}
			}
			n++
			if info.Busy = who(info.Path, at); !yield(info) {
				return
			}
		}
	}
}

// Local lists the sessions of this working directory, the file changed last first.
func Local(ctx context.Context, l *Library) ([]catalog.Info, error) {
	opt := l.Catalog()
	if l.SessionDir == "" {
		opt.CWD = l.Dir
	}
	step, end := l.front.progress("read sessions")
	defer end()
	opt.Progress = step
	all, err := catalog.List(ctx, opt)
	if err != nil {
		return nil, &Error{Listing, l.SessionDir, err}
	}
	return all, nil
}
