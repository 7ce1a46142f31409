// Package ident makes and reads the names of things that are stored: ids of sessions
// and entries, file names of sessions and of their artifacts. It knows no directory;
// where things are is said by layout.
package ident
