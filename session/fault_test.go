package session_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/state"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/internal/vfs/crashfs"
	"github.com/cambium-dev/cambium/internal/vfs/errorfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

const (
	diskRoot = "/m"
	output   = "what a tool put out"
)

// A rig is a machine on which one session is worked with, and what its user was
// promised.
type rig struct {
	t    *testing.T
	opt  session.Options
	keep *state.Journal
	path string
	// saved are the ids whose entries are acknowledged and durable.
	saved []string
	// title is the name that was acknowledged, nil for none.
	title *string
	// settled says that the artifact is with the session.
	settled bool
}

// rigOn makes a machine of a disk, as another process would find it.
func rigOn(t *testing.T, disk vfs.FS, sc scene, seed byte) *rig {
	e := env(diskRoot)
	now := func() time.Time { return time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC) }
	r := &rig{t: t, path: scenePath(sc), settled: true, keep: state.New(state.Options{
		Dir: filepath.Join(diskRoot, "state"), FS: disk, Now: now, Random: rand.NewChaCha8([32]byte{seed}),
	})}
	r.opt = vfs.On(session.Options{
		Dialect: sc.dialect, Env: e, Undo: r.keep, Now: now,
		Random: rand.NewChaCha8([32]byte{seed, 1}), FirstWrite: sc.first,
	}, disk)
	return r
}

func scenePath(sc scene) string {
	place := places.For(string(sc.dialect), env(diskRoot), layout.Overrides{})
	return filepath.Join(place.Dir("/w", env(diskRoot)), "2026-01-02T03-04-05-000Z_sess.jsonl")
}

// A scene is what is interrupted at every step.
type scene struct {
	name    string
	dialect dialect.Name
	lines   []string // of the session before; none for no file
	first   session.FirstWrite
	// before is done undisturbed.
	before, run func(ctx context.Context, r *rig) error
}

func quiet(context.Context, *rig) error { return nil }

// with opens the session, has f use it, and closes it.
func with(f func(ctx context.Context, r *rig, s *session.Session) error) func(context.Context, *rig) error {
	return func(ctx context.Context, r *rig) error {
		s, err := session.Open(ctx, r.path, r.opt)
		if err != nil {
			return err
		}
		return errors.Join(f(ctx, r, s), s.Close())
	}
}

// say appends, and notes what was acknowledged.
func (r *rig) say(ctx context.Context, s *session.Session, body entry.Body) error {
	id, err := s.Append(ctx, body)
	if err == nil && s.OnDisk() {
		r.saved = nil
		for i := range s.Len() {
			id, _ := s.List().ID(i)
			r.saved = append(r.saved, id)
		}
	}
	if id == "" && err == nil {
		r.t.Error("no id and no error")
	}
	return err
}

func renaming(ctx context.Context, r *rig, s *session.Session) error {
	_, err := s.Rename(ctx, "a name", session.Title{})
	if err == nil {
		r.title = new("a name")
	}
	return errors.Join(err, r.say(ctx, s, user("said after")))
}

func moving(ctx context.Context, r *rig, s *session.Session) error {
	r.settled = false
	err := s.Move(ctx, "/elsewhere")
	r.settled = err == nil
	return errors.Join(err, r.say(ctx, s, user("said after")))
}

func rewriting(ctx context.Context, r *rig, s *session.Session) error {
	err := s.Rewrite(ctx, func(e entry.Entry) ([]byte, error) {
		return []byte(strings.Replace(string(e.Raw()), `"hi"`, `"ho"`, 1)), nil
	})
	return errors.Join(err, r.say(ctx, s, user("said after")))
}

// reinitializing makes a new session of the file.
func reinitializing(ctx context.Context, r *rig) error {
	o := r.opt
	o.Reinitialize = true
	s, err := session.Open(ctx, r.path, o)
	if err != nil {
		return err
	}
	return errors.Join(r.say(ctx, s, user("said after")), s.Close())
}

func undoing(ctx context.Context, r *rig) error {
	named := r.title != nil
	r.settled, r.title = false, nil
	_, err := r.keep.Undo(ctx, "", func(ctx context.Context, c state.Change) (string, string, error) {
		return session.Revert(ctx, c, r.opt)
	})
	if r.settled = err == nil; r.settled && named {
		r.title = new(string)
	}
	return err
}

// scenes are all of them: what is done, and what taking it back does.
func scenes() []scene {
	plain := []string{headerLine, userLine, answerLine}
	slot := spelling.FormatSlot("", "", "2026-01-01T00:00:00.000Z")
	slotted := append([]string{strings.TrimSuffix(string(slot[:]), "\n")}, plain...)
	all := []scene{
		{name: "create", dialect: "cambium", run: func(ctx context.Context, r *rig) error {
			s, err := session.Create(ctx, "/w", r.opt)
			if err != nil {
				return err
			}
			for _, body := range []entry.Body{user("q"), answer("a"), user("more")} {
				err = errors.Join(err, r.say(ctx, s, body))
			}
			return errors.Join(err, s.Close())
		}},
		{name: "append", dialect: "omp", lines: plain, run: with(func(ctx context.Context, r *rig, s *session.Session) error {
			return errors.Join(r.say(ctx, s, user("one")), r.say(ctx, s, answer("two")), r.say(ctx, s, user(strings.Repeat("long ", 3000))))
		})},
		{name: "fork", dialect: "cambium", lines: plain, run: with(func(ctx context.Context, r *rig, s *session.Session) error {
			_, _, err := s.Fork(ctx)
			return errors.Join(err, r.say(ctx, s, user("said after")))
		})},
		{name: "fork from", dialect: "pi", lines: plain, run: func(ctx context.Context, r *rig) error {
			s, err := session.ForkFrom(ctx, r.path, "/elsewhere", r.opt)
			if err != nil {
				return err
			}
			return errors.Join(r.say(ctx, s, user("said after")), s.Close())
		}},
		{name: "convert", dialect: "pi", lines: plain, run: with(func(ctx context.Context, r *rig, s *session.Session) error {
			_, err := s.Convert(ctx, session.ConvertOptions{To: "omp"})
			return errors.Join(err, r.say(ctx, s, user("said after")))
		})},
	}
	for _, sc := range []scene{
		{name: "title", dialect: "cambium", lines: plain, run: with(renaming)},
		{name: "title entry", dialect: "pi", lines: plain, run: with(renaming)},
		{name: "title slot", dialect: "omp", lines: slotted, run: with(renaming)},
		{name: "title and entry", dialect: "omp", lines: plain, run: with(renaming)},
		{name: "move", dialect: "omp", lines: plain, run: with(moving)},
		{name: "rewrite", dialect: "xcsh", lines: plain, run: with(rewriting)},
		{name: "migrate", dialect: "pi", lines: []string{oldHeader, oldUser}, run: with(func(ctx context.Context, r *rig, s *session.Session) error {
			return r.say(ctx, s, user("said after"))
		})},
		{name: "reinitialize", dialect: "cambium", lines: []string{"no session"}, run: reinitializing},
	} {
		back := sc
		back.name, back.before, back.run = "undo "+sc.name, sc.run, undoing
		all = append(all, sc, back)
	}
	for i := range all {
		if all[i].before == nil {
			all[i].before = quiet
		}
		if all[i].name != "create" {
			all[i].first = session.Immediately
		}
	}
	return all
}

// set makes a disk with the session of a scene and its artifact, on which the
// undisturbed part was done.
func (sc scene) set(t *testing.T) (*crashfs.FS, *rig) {
	t.Helper()
	disk := crashfs.New()
	path := scenePath(sc)
	store(t, disk, filepath.Join(diskRoot, "home", "kept"), "")
	store(t, disk, filepath.Join(diskRoot, "state", "kept-dir"), "")
	if sc.lines != nil {
		store(t, disk, path, strings.Join(sc.lines, "\n")+"\n")
		store(t, disk, filepath.Join(ident.ArtifactDir(path), "0.bash.log"), output)
	}
	r := rigOn(t, disk, sc, 1)
	for _, line := range sc.lines {
		if id, ok := strings.CutPrefix(line, `{"type":"message","id":"`); ok {
			r.saved = append(r.saved, id[:2])
		}
	}
	if err := sc.before(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return disk, r
}

func store(t *testing.T, fsys vfs.FS, path, text string) {
	t.Helper()
	changed, err := vfs.MkdirAll(fsys, filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	f, err := fsys.Open(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write([]byte(text))
	errs := []error{err, f.Sync(), f.Close(), fsys.SyncDir(filepath.Dir(path))}
	for _, dir := range changed {
		errs = append(errs, fsys.SyncDir(dir))
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// find returns the paths of the regular files below a directory.
func find(t *testing.T, fsys vfs.FS, dir string) (all []string) {
	t.Helper()
	infos, err := fsys.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range infos {
		path := filepath.Join(dir, info.Name)
		if info.Mode.IsDir() {
			all = append(all, find(t, fsys, path)...)
		} else if info.Regular() {
			all = append(all, path)
		}
	}
	return all
}

// holds checks that a disk that was left behind has all that was promised, in a
// session that goes on, and that it stays so when what was begun is taken back.
func (sc scene) holds(t *testing.T, disk vfs.FS, promised *rig) {
	t.Helper()
	for _, path := range find(t, disk, diskRoot) {
		if strings.HasSuffix(path, ".lock") {
			_ = disk.Remove(path) // its process is no more
		}
	}
	r := rigOn(t, disk, sc, 77)
	sc.whole(t, disk, r, promised)
	if t.Failed() {
		return
	}
	_, err := r.keep.Undo(t.Context(), "", func(ctx context.Context, c state.Change) (string, string, error) {
		return session.Revert(ctx, c, r.opt)
	})
	if err != nil && !errors.Is(err, state.ErrUnknown) && !errors.Is(err, state.ErrConflict) {
		t.Errorf("undo afterwards: %v", err)
	}
	after := *promised
	after.title = nil
	if err == nil {
		after.settled = true
	}
	sc.whole(t, disk, r, &after)
	if t.Failed() {
		t.Error("after what was begun was taken back")
	}
}

// whole checks one disk.
func (sc scene) whole(t *testing.T, disk vfs.FS, r *rig, promised *rig) {
	t.Helper()
	files := find(t, disk, diskRoot)
	if sc.lines != nil && sc.lines[0] == "no session" && !slices.ContainsFunc(files, func(path string) bool {
		data, err := vfs.ReadFile(disk, path, 0)
		return err == nil && strings.HasPrefix(string(data), "no session")
	}) {
		t.Error("the old bytes are lost")
	}
	if len(promised.saved) == 0 && promised.title == nil {
		return
	}
	var seen []string
	for _, path := range files {
		if !strings.HasSuffix(path, ".jsonl") {
			continue
		}
		o := r.opt
		o.Undo = nil
		s, err := session.Open(t.Context(), path, o)
		if err != nil {
			seen = append(seen, fmt.Sprintf("%s: %v", path, err))
			continue
		}
		fits := sc.fits(t, disk, s, promised)
		if _, err := s.Append(t.Context(), user("goes on")); err != nil {
			t.Errorf("append to %q: %v", path, err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("close %q: %v", path, err)
		}
		if fits == "" {
			return
		}
		seen = append(seen, path+": "+fits)
	}
	t.Errorf("nowhere is %v (title %v, settled %v); there is\n%s", promised.saved, promised.title, promised.settled, strings.Join(seen, "\n"))
	for _, path := range files {
		data, _ := vfs.ReadFile(disk, path, 300)
		t.Logf("%s: %.300q", path, data)
	}
}

// fits says what a session lacks of what was promised, "" for nothing.
func (sc scene) fits(t *testing.T, disk vfs.FS, s *session.Session, promised *rig) string {
	t.Helper()
	for _, id := range promised.saved {
		if _, err := s.Entry(id); err != nil {
			return err.Error()
		}
	}
	if got, _ := s.Title(); promised.title != nil && got != *promised.title {
		return fmt.Sprintf("title %q", got)
	}
	if sc.lines == nil || !promised.settled || sc.lines[0] == "no session" {
		return ""
	}
	all, err := s.Artifacts()
	if err != nil || len(all) != 1 {
		return fmt.Sprintf("artifacts %v, %v", all, err)
	}
	if data, err := vfs.ReadFile(disk, all[0].Path, 0); err != nil || string(data) != output {
		return fmt.Sprintf("artifact %q, %v", data, err)
	}
	return ""
}

// Whatever operation fails, before or after it took effect: what was
// acknowledged is there, and the session goes on.
func TestSessionFails(t *testing.T) {
	t.Parallel()
	for _, sc := range scenes() {
		for _, fault := range []errorfs.Fault{{}, {After: true}, {Err: errorfs.ErrNoSpace, Short: 7}} {
			t.Run(fmt.Sprintf("%s/after=%v/short=%d", sc.name, fault.After, fault.Short), func(t *testing.T) {
				for n := int64(1); ; n++ {
					disk, was := sc.set(t)
					c := &errorfs.Counter{At: n, Fault: fault, Only: func(op errorfs.Op) bool {
						// A lock that is never given back is that of a process that hangs.
						return op.Kind != errorfs.Unlock && op.Kind != errorfs.Close && (op.Kind != errorfs.Lock || !fault.After)
					}}
					r := rigOn(t, errorfs.Wrap(disk, c.Inject), sc, 2)
					r.saved, r.title = was.saved, was.title
					err := sc.run(t.Context(), r)
					sc.holds(t, disk.CrashClone(100, 0), r) // its locks are gone
					if t.Failed() {
						t.Fatalf("operation %d; the scene ended with %v", n, err)
					}
					if !c.Fired() {
						if err != nil || n < 20 {
							t.Errorf("after %d operations: %v", n-1, err)
						}
						return
					}
				}
			})
		}
	}
}

// Whenever the power fails: what was acknowledged is there, whatever of the
// unsynced is on the disk.
func TestSessionCrashes(t *testing.T) {
	t.Parallel()
	for _, sc := range scenes() {
		t.Run(sc.name, func(t *testing.T) {
			disk, was := sc.set(t)
			step := 0
			var r *rig
			check := func(op errorfs.Kind) {
				step++
				seen := map[string]bool{}
				for seed := range uint64(22) {
					percent := 50
					if seed > 19 {
						percent = int(seed-20) * 100
					}
					left := disk.CrashClone(percent, seed)
					all := contents(t, left, "/")
					if seen[all] {
						continue // it was looked at
					}
					seen[all] = true
					sc.holds(t, left, r)
					if t.Failed() {
						t.Fatalf("crash before change %d (%s), %d %% kept, seed %d", step, op, percent, seed)
					}
				}
			}
			inject := errorfs.Serial(func(op errorfs.Op) *errorfs.Fault {
				if op.Kind.Changes() {
					check(op.Kind)
				}
				return nil
			})
			r = rigOn(t, errorfs.Wrap(disk, inject), sc, 2)
			r.saved, r.title = was.saved, was.title
			if err := sc.run(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			inject(errorfs.Op{Kind: errorfs.Remove, Name: "nothing: the end"})
		})
	}
}
