package ident

import (
	"fmt"
	"strings"
)

// ValidID says whether a session id may become part of a path: it begins with a
// letter or digit, has at most 128 letters, digits, '.', '_' and '-', and is no
// name that Windows keeps for a device. An id read from a file is checked with
// this before anything is named after it.
func ValidID(id string) bool {
	if id == "" || len(id) > 128 || !IsAlnum(id[0]) {
		return false
	}
	for i := range len(id) {
		b := id[i]
		if !IsAlnum(b) && b != '.' && b != '_' && b != '-' {
			return false
		}
	}
	return !Reserved(id)
}

// IDError says why a session id that a person chose was refused.
type IDError struct {
	// ID is the id.
	ID string
	// Text is the whole message.
	Text string
}

// Error returns the message; for an id outside pi's rule it is pi's own.
func (e *IDError) Error() string { return e.Text }

// CheckID checks a session id that a person chose: pi's rule for --session-id
// (pi 0.87.1), and on top of it ValidID. The error is an *IDError.
func CheckID(id string) error {
	if !customID(id) {
		return &IDError{ID: id, Text: "Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.', and start and end with an alphanumeric character"}
	}
	if !ValidID(id) {
		cause := "longer than 128 characters"
		if len(id) <= 128 {
			cause = "a name that Windows keeps for a device"
		}
		return &IDError{ID: id, Text: fmt.Sprintf("use session id %q: %s", clip(id), cause)}
	}
	return nil
}

// customID is ^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$.
func customID(id string) bool {
	if id == "" || !IsAlnum(id[0]) || !IsAlnum(id[len(id)-1]) {
		return false
	}
	return strings.IndexFunc(id, func(r rune) bool {
		return r >= 0x80 || !IsAlnum(byte(r)) && r != '.' && r != '_' && r != '-'
	}) < 0
}

// clip shortens an id for a message.
func clip(id string) string {
	if len(id) > 40 {
		return id[:40] + "…"
	}
	return id
}
