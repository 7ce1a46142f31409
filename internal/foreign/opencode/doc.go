// Package opencode reads the sessions of OpenCode (1.18.34 and before) and writes files that
// `opencode import` takes.
//
// OpenCode keeps all sessions in one database. Its older form, a file for each message and
// each part, is read where the database does not have the session. Nothing is written beside
// either, and the database is not locked: its pages are read as they were at one moment, those
// in its log among them.
//
// A message becomes an entry with the message's id. A tool's result becomes an entry with the
// id of its part. What of a message has no place in an entry is in the entry's member
// "opencode". What has no equal at all is a custom entry, with the stored value as its data. The
// source of the rules is what the program wrote, and what it sent when it went on with a
// session.
package opencode
