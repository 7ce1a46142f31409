// Package index keeps what is known of sessions in an SQLite file, so that what
// did not change is not read again: of each directory the records of its files,
// packed in bundles of some 12 KB, of each file its text in packed chunks of some
// 64 KB with a full-text index of their words and a packed blob of what it took and cost
// ([Index.Tallies]), and of a large one a packed blob of offsets, by which it is opened
// without reading it ([Index.Recall]). It never
// keeps a row an entry, nor one a session to list.
//
// The file is disposable and never the truth. It lies in Cambium's cache
// directory (0700), as index-5-NAME.sqlite (0600) beside index-5, which holds
// that name; 5 is the version of the schema. Opening is lazy and never waits
// long: a file that is missing is made; one that is damaged, cut short, of
// another program or another version is built anew under a new name, and the name
// is then renamed over the old one, so that processes that still use the old file
// do no harm. A file that is busy or cannot be written is an error of the call,
// and the caller goes on without.
//
// Files of other versions, and what was left behind, are removed once nobody wrote
// to them for a day; that is looked after when an index is made, and later once a
// day.
//
// It is believed only where nobody else can have written it: the directory and the
// files are the person's own, none is a link, and the schema is this one to the
// letter. Nothing that is written in it is run, and it never says where a session is.
//
// Every blob ends in a checksum that covers its key too, and every page in one that
// covers its place. Both are compared at each reading, so that what an answer needs is
// as it was written.
//
// An Index is safe for concurrent use, and several processes may use one file.
package index
