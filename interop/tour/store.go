package tour

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/interop/peers"
)

// A Store is a home in which four programs have kept sessions.
type Store struct {
	Home     string
	Sessions []Session // as they were begun
}

// A Session is one session of a store.
type Session struct {
	Agent, ID, Path, Dir, Name string
	// Marks are the ids of entries by the names that conversations.txt gives.
	Marks   map[string]string
	prompts []step
	changed time.Time
}

// Named returns the sessions with a name.
func (s *Store) Named(name string) []Session {
	var all []Session
	for _, one := range s.Sessions {
		if one.Name == name {
			all = append(all, one)
		}
	}
	return all
}

// Of returns the sessions of an agent.
func (s *Store) Of(agent string) []Session {
	var all []Session
	for _, one := range s.Sessions {
		if one.Agent == agent {
			all = append(all, one)
		}
	}
	return all
}

// An author writes sessions, one after the other, as one program does. What is
// written is of the time told last.
type author interface {
	at(t time.Time) error
	begin(cwd string) error
	// fork goes on in a copy of the session, in another directory.
	fork(cwd string) error
	message(body []byte) (id string, err error)
	label(id, text string) error
	// back makes an entry the leaf and, if there is a summary, appends it.
	back(id, summary string) error
	compact(keep, summary string) error
	name(text string) error
	// end completes the session that was begun or forked.
	end() (path, id string, err error)
	close() error
}

// Build writes the store into home, which must be an empty directory, by the
// real programs where there are such. An error wraps peers.ErrNotInstalled when
// they are not there.
func Build(ctx context.Context, home string) (_ *Store, err error) {
	all, err := parse(conversations)
	if err != nil {
		return nil, err
	}
	authors := map[string]author{}
	defer func() {
		for _, a := range authors {
			err = errors.Join(err, a.close())
		}
	}()
	for _, p := range []peers.Program{peers.Pi, peers.Omp} {
		d, err := peers.StartIn(ctx, p, home)
		if err != nil {
			return nil, err
		}
		authors[string(p)] = program{d}
	}
	for _, name := range []string{"xcsh", "cambium"} {
		authors[name] = newOwn(ctx, name, home)
	}
	b := builder{store: &Store{Home: home}, authors: authors}
	for _, c := range all {
		if err := b.write(c); err != nil {
			return nil, fmt.Errorf("write %s session of %s: %w", c.agent, c.begun.Format(time.DateTime), err)
		}
	}
	if err := b.store.remember(ctx); err != nil {
		return nil, err
	}
	if err := b.store.visit(ctx); err != nil {
		return nil, err
	}
	return b.store, b.store.settle()
}

// A builder writes conversations.
type builder struct {
	store   *Store
	authors map[string]author
	now     Session
	last    string // the last entry
	damaged string // the entry that is to be damaged
}

// write writes one conversation.
func (b *builder) write(c conversation) error {
	a := b.authors[c.agent]
	b.now, b.last, b.damaged = Session{Agent: c.agent, Marks: map[string]string{}}, "", ""
	if err := b.begin(a, c.dir, c.begun, a.begin); err != nil {
		return err
	}
	for _, s := range c.steps {
		if err := a.at(s.at); err != nil {
			return err
		}
		if err := b.take(a, s); err != nil {
			return fmt.Errorf("%s %.40s: %w", s.verb, s.text, err)
		}
	}
	return b.end(a)
}

// begin begins a session, or a fork, in a directory, which is made.
func (b *builder) begin(a author, dir string, at time.Time, begin func(cwd string) error) error {
	b.now.Dir = filepath.Join(b.store.Home, strings.TrimPrefix(dir, "~/"))
	if err := os.MkdirAll(b.now.Dir, 0o700); err != nil {
		return err
	}
	if err := a.at(at); err != nil {
		return err
	}
	return begin(b.now.Dir)
}

// take takes one step.
func (b *builder) take(a author, s step) (err error) {
	if s.verb != "fork" {
		b.now.changed = s.at
	}
	switch s.verb {
	case "user", "assistant", "think", "tool":
		for _, body := range messages(s) {
			if b.last, err = a.message(body); err != nil {
				return err
			}
		}
		if s.verb == "user" {
			b.now.prompts = append(b.now.prompts, s)
		}
		return nil
	case "name":
		b.now.Name = s.text
		return a.name(s.text)
	case "label":
		return a.label(b.last, s.text)
	case "mark":
		b.now.Marks[s.text] = b.last
		return nil
	case "back":
		return a.back(b.now.Marks[s.text], s.more)
	case "compact":
		return a.compact(b.now.Marks[s.text], s.more)
	case "damage":
		b.damaged = b.now.Marks[s.text]
		return nil
	case "fork":
		if err := b.end(a); err != nil {
			return err
		}
		b.now.Name, b.now.prompts = "", nil
		return b.begin(a, s.text, s.at, a.fork)
	}
	return errors.New("no such verb")
}

// end completes the session.
func (b *builder) end(a author) (err error) {
	if b.now.Path, b.now.ID, err = a.end(); err != nil {
		return err
	}
	b.store.Sessions = append(b.store.Sessions, b.now)
	if b.damaged == "" {
		return nil
	}
	data, err := os.ReadFile(b.now.Path)
	if err != nil {
		return err
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	i := slices.IndexFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte(`"id":"`+b.damaged+`"`)) })
	if i < 0 {
		return fmt.Errorf("no line is of entry %q", b.damaged)
	}
	clear(lines[i][:len(lines[i])-1])
	return os.WriteFile(b.now.Path, bytes.Join(lines, nil), 0o600)
}

// remember has omp keep the prompts of its sessions.
func (s *Store) remember(ctx context.Context) error {
	root, err := peers.Root()
	if err != nil {
		return err
	}
	var in, dates bytes.Buffer
	for _, one := range s.Of("omp") {
		for _, p := range one.prompts {
			call(&in, "add", p.text, one.Dir, one.ID)
			call(&dates, "at", one.ID, p.text, p.at.Unix())
		}
	}
	call(&in, "close")
	in.Write(dates.Bytes())
	cmd := exec.CommandContext(ctx, peers.Omp.Runtime(root), filepath.Join(root, "interop", "history.mjs"))
	cmd.Dir, cmd.Env, cmd.Stdin = s.Home, peers.Env(s.Home), &in
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("keep prompts: %w: %s", err, out)
	}
	return nil
}

// call writes a call of interop/history.mjs.
func call(w *bytes.Buffer, op string, args ...any) {
	w.Write(append(encoded(map[string]any{"op": op, "args": append([]any{}, args...)}), '\n'))
}

// visit has omp open a session in each of two panes of tmux, which it notes.
func (s *Store) visit(ctx context.Context) error {
	for pane, name := range map[string]string{"%1": "The pump runs dry", "%2": "The valve of bed C sticks"} {
		d, err := peers.StartIn(ctx, peers.Omp, s.Home, "TMUX_PANE="+pane)
		if err != nil {
			return err
		}
		_, err = d.Call("open", s.Named(name)[0].Path)
		if err := errors.Join(err, d.Close()); err != nil {
			return err
		}
	}
	return nil
}

// settle gives the files the times at which they were last written.
func (s *Store) settle() error {
	for _, one := range s.Sessions {
		if err := os.Chtimes(one.Path, one.changed, one.changed); err != nil {
			return err
		}
	}
	return nil
}
