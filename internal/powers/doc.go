// Package powers holds what only some stores and logs can do: each power is an interface,
// with a function that uses it or falls back. Three powers that a store outside this module
// may want are in package storage: [storage.Syncer], [storage.Watcher] and [storage.Leaser].
package powers
