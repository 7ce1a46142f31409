package usage

import (
	"fmt"
	"reflect"
)

// A State is that of a file whose charges were read.
type State struct {
	Dev, Ino uint64
	// Size is in bytes, ModTime in nanoseconds since 1970.
	Size, ModTime int64
}

// A Tally is what an index keeps of what one session took and cost.
type Tally struct {
	// Path is the session, State the state of its file that was read.
	Path  string
	State State
	// Data is what Pack returned.
	Data []byte
}

// A Watch is told the charges of sessions while somebody reads them for another reason.
// Several goroutines may call its functions. The zero Watch wants nothing.
type Watch struct {
	// Has reports whether the charges of a session are known, whose file is in that
	// state. A session is not read for them then.
	Has func(path string, state State) bool
	// Tell is told the charges of a session that was read, and in which state its file
	// was: the same before and after.
	Tell func(path string, state State, charges []Charge)
}

// On reports whether anything is wanted.
func (w *Watch) On() bool { return w.Tell != nil }

// fields are where options of each type keep a watch. Public rooms add to them before main
// begins.
var fields = map[reflect.Type]any{}

// Watched says that options of type T keep a watch at a field. A public room says so of its
// options, which do not show it to others. It is called once for each type, where package
// variables are made.
func Watched[T any](at func(*T) *Watch) bool {
	fields[reflect.TypeFor[T]()] = at
	return true
}

// With returns options of a public room with a watch. It panics for options that take none.
func With[T any](o T, w Watch) T {
	at, ok := fields[reflect.TypeFor[T]()].(func(*T) *Watch)
	if !ok {
		panic(fmt.Sprintf("usage: %v takes no watch", reflect.TypeFor[T]()))
	}
	*at(&o) = w
	return o
}
