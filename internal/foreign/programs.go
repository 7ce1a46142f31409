package foreign

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/source"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/storage"
)

// Programs are the agents whose sessions are read, on a machine.
type Programs struct {
	All []Program
	Env layout.Env
}

// Of returns the program that a name is a session of, nil for none.
func (p Programs) Of(name string) Program {
	for _, is := range p.All {
		if is.Owns(name, p.Env) {
			return is
		}
	}
	return nil
}

// Whose returns the program below whose roots a file is, or would be, however its name is
// spelled, and the name that the program has for it; nil and the name for none. A link of
// somebody else's is not followed.
func (p Programs) Whose(fsys vfs.FS, name string) (Program, string) {
	if fsys == nil {
		fsys = vfs.OS()
	}
	if is := p.Of(name); is != nil || len(p.All) == 0 {
		return is, name
	}
	real, err := vfs.Resolve(fsys, name)
	if err != nil {
		real = name
	}
	if p.Env.Real != nil {
		if dir, ok := p.Env.Real(filepath.Dir(real)); ok {
			real = filepath.Join(dir, filepath.Base(real))
		}
	}
	for _, is := range p.All {
		for _, root := range is.Roots(p.Env) {
			at, err := fsys.Stat(root)
			if err != nil {
				continue // nothing is in it
			}
			for dir := filepath.Dir(real); ; dir = filepath.Dir(dir) {
				if info, err := fsys.Stat(dir); err == nil && info.SameFile(at) {
					rest, _ := filepath.Rel(dir, real)
					return is, filepath.Join(root, rest)
				}
				if dir == filepath.Dir(dir) {
					break
				}
			}
		}
	}
	return nil, name
}

// Refusal returns an [*OnlyReadError] for a file that is a program's, nil for any other. What
// would change a file asks it.
func (p Programs) Refusal(fsys vfs.FS, name string, why error) error {
	if is, _ := p.Whose(fsys, name); is != nil {
		return &OnlyReadError{Path: name, Agent: is.Name(), Err: why}
	}
	return nil
}

// In returns the program that has sessions in a directory, nil for none.
func (p Programs) In(dir string) Program {
	return p.Of(filepath.Join(dir, "0.jsonl"))
}

// Named returns the program of a name, nil for none.
func (p Programs) Named(name dialect.Name) Program {
	for _, is := range p.All {
		if is.Name() == name {
			return is
		}
	}
	return nil
}

// takers say where options keep their programs, by the type of the options.
var takers = map[reflect.Type]any{}

// Taken says that options of type T keep programs at a field. A public room says so of
// its options, which do not show it to others. It is called once for each type, where
// package variables are made.
func Taken[T any](at func(*T) *Programs) bool {
	takers[reflect.TypeFor[T]()] = at
	return true
}

// On returns options of a public room with programs. It panics for options that take none.
func On[T any](o T, p Programs) T {
	*at(&o) = p
	return o
}

// From returns the programs that options were given.
func From[T any](o T) Programs { return *at(&o) }

func at[T any](o *T) *Programs {
	of, ok := takers[reflect.TypeFor[T]()].(func(*T) *Programs)
	if !ok {
		panic(fmt.Sprintf("foreign: %v takes no programs", reflect.TypeFor[T]()))
	}
	return of(o)
}

// Source returns a source with the sessions of programs besides those that it has, which
// are files of fsys.
func Source(own source.Source, fsys vfs.FS, p Programs) source.Source {
	if len(p.All) == 0 {
		return own
	}
	return mixed{own, vfs.Owned(fsys), p}
}

// A mixed source has sessions of programs, too.
type mixed struct {
	source.Source
	fs       vfs.FS
	programs Programs
}

func (m mixed) Survey(ctx context.Context, dir, suffix string, to *vfs.Roll) error {
	if p := m.programs.In(dir); p != nil {
		return p.Survey(ctx, m.fs, dir, to)
	}
	return m.Source.Survey(ctx, dir, suffix, to)
}

func (m mixed) Stat(ctx context.Context, name string) (source.State, error) {
	if p := m.programs.Of(name); p != nil {
		return p.Stat(ctx, m.fs, name)
	}
	return m.Source.Stat(ctx, name)
}

func (m mixed) Resolve(ctx context.Context, name string) (string, error) {
	if m.programs.Of(name) != nil {
		return name, nil
	}
	return m.Source.Resolve(ctx, name)
}

func (m mixed) Open(ctx context.Context, name string) (source.File, error) {
	p := m.programs.Of(name)
	if p == nil {
		return m.Source.Open(ctx, name)
	}
	lines, err := p.Read(ctx, m.fs, name)
	if err != nil {
		return nil, err
	}
	return &file{Lines: lines, stat: func() (source.State, error) { return p.Stat(ctx, m.fs, name) }}, nil
}

// Store returns a store with the sessions of the programs, too, as logs that can be read.
func (m mixed) Store() storage.Store { return routed{m.Source.Store(), m} }

// A routed store goes to the programs for what is theirs.
type routed struct {
	storage.Store
	mixed mixed
}

func (r routed) of(name string) storage.Store {
	if p := r.mixed.programs.Of(name); p != nil {
		return Store(r.mixed.fs, p)
	}
	return r.Store
}

func (r routed) Open(ctx context.Context, name string, mode storage.Mode) (storage.Log, error) {
	return r.of(name).Open(ctx, name, mode)
}

func (r routed) Stat(ctx context.Context, name string) (storage.Info, error) {
	return r.of(name).Stat(ctx, name)
}

func (r routed) Rename(ctx context.Context, old, new string) error {
	return r.of(old).Rename(ctx, old, new)
}

func (r routed) Remove(ctx context.Context, name string) error { return r.of(name).Remove(ctx, name) }
