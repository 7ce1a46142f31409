// Package database reads SQLite databases that belong to other programs, which may be writing to
// them. It locks nothing, writes nothing, not even beside a database, and copies none: SQLite is
// shown the pages as they were at one moment, those in the database's log among them.
//
// A database may be made by somebody who means harm. Nothing that is written in one is run, and
// reading has bounds of time and size.
package database
