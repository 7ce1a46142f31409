package vfs

import (
	"fmt"
	"reflect"
)

// A taker says how options of type T take a file system.
type taker[T any] struct {
	at    func(*T) *FS
	taken func(*T)
}

// takers are those of all types. Public rooms add to them before main begins.
var takers = map[reflect.Type]any{}

// Taken says that options of type T keep a file system at a field, and, if taken is
// not nil, what they do when they were given one. A public room says so of its options,
// which do not show it to others: theirs is that of the machine. It is called once for
// each type, where package variables are made.
func Taken[T any](at func(*T) *FS, taken func(*T)) bool {
	takers[reflect.TypeFor[T]()] = taker[T]{at, taken}
	return true
}

// On returns options of a public room with a file system instead of the machine's; nil
// means the machine's. It panics for options that take none.
func On[T any](o T, fsys FS) T {
	t := takerOf[T]()
	*t.at(&o) = fsys
	if t.taken != nil {
		t.taken(&o)
	}
	return o
}

// Of returns the file system that options were given, nil for none.
func Of[T any](o T) FS { return *takerOf[T]().at(&o) }

func takerOf[T any]() taker[T] {
	t, ok := takers[reflect.TypeFor[T]()].(taker[T])
	if !ok {
		panic(fmt.Sprintf("vfs: %v takes no file system", reflect.TypeFor[T]()))
	}
	return t
}
