package ident

import (
	"strconv"
	"strings"
)

// Ext ends the name of every session file.
const Ext = ".jsonl"

// FileName returns the name of the session file: the header's timestamp (as
// toISOString writes it) with colons and dots as dashes, '_', the id, Ext. The
// id goes in as it is: check it with ValidID first.
func FileName(ts, id string) string {
	stamp := strings.Map(func(r rune) rune {
		if r == ':' || r == '.' {
			return '-'
		}
		return r
	}, ts)
	return stamp + "_" + id + Ext
}

// ParseFileName takes a session file's name apart: the timestamp as the header
// has it, and the id, which may hold '_' itself. ok is false when the name is
// not one that FileName makes; such files are sessions too, but their name says
// nothing.
func ParseFileName(base string) (ts, id string, ok bool) {
	stem, found := strings.CutSuffix(base, Ext)
	if !found {
		return "", "", false
	}
	stamp, id, found := strings.Cut(stem, "_")
	if !found || id == "" {
		return "", "", false
	}
	ts, ok = isoTime(stamp)
	if !ok {
		return "", "", false
	}
	return ts, id, true
}

// FileID returns the part of a session file's name that people know it by: the
// id of ParseFileName, else what stands after the last '_', else the whole name
// without Ext. It is for matching; the header's id is the session's.
func FileID(base string) string {
	if _, id, ok := ParseFileName(base); ok {
		return id
	}
	stem := strings.TrimSuffix(base, Ext)
	return stem[strings.LastIndexByte(stem, '_')+1:]
}

// isoTime turns 2026-02-16T10-20-30-000Z back into 2026-02-16T10:20:30.000Z.
// Years outside 0 to 9999 have a sign and six digits.
func isoTime(stamp string) (string, bool) {
	year := "dddd"
	if stamp != "" && (stamp[0] == '+' || stamp[0] == '-') {
		year = "sdddddd"
	}
	shape := year + "-dd-ddTdd-dd-dd-dddZ"
	if len(stamp) != len(shape) {
		return "", false
	}
	for i := range len(shape) {
		switch shape[i] {
		case 'd':
			if !IsDigit(stamp[i]) {
				return "", false
			}
		case 's':
		default:
			if stamp[i] != shape[i] {
				return "", false
			}
		}
	}
	b := []byte(stamp)
	n := len(year)
	b[n+9], b[n+12], b[n+15] = ':', ':', '.'
	return string(b), true
}

// ArtifactDir returns the directory of a session's artifacts: the session's path
// without Ext; "" when the path does not end in it, or when nothing, "." or ".."
// stands before it: such a session has none.
func ArtifactDir(sessionPath string) string {
	dir, ok := strings.CutSuffix(sessionPath, Ext)
	name := dir[strings.LastIndexAny(dir, `/\`)+1:]
	if !ok || name == "" || name == "." || name == ".." {
		return ""
	}
	return dir
}

// ArtifactName returns the name of artifact n, written by a tool. What is not a
// letter, digit, '_' or '-' of the tool's name becomes '_' (a run of it one),
// and 64 characters of it are kept; without any it is "tool". omp 18.2.3.
func ArtifactName(n int, tool string) string {
	var b strings.Builder
	run := false
	for i := 0; i < len(tool) && b.Len() < 64; i++ {
		plain := IsAlnum(tool[i]) || tool[i] == '_' || tool[i] == '-'
		if plain {
			b.WriteByte(tool[i])
		} else if !run {
			b.WriteByte('_')
		}
		run = !plain
	}
	name := strings.Trim(b.String(), "_")
	if name == "" {
		name = "tool"
	}
	return strconv.Itoa(n) + "." + name + ".log"
}

// NextArtifact returns the number of the next artifact in a directory that holds
// names: one above the highest, 0 without any.
func NextArtifact(names []string) int {
	next := 0
	for _, name := range names {
		number, rest, _ := strings.Cut(name, ".")
		// "3.log" has no tool and is none of ours.
		if !strings.HasSuffix(rest, ".log") {
			continue
		}
		n, ok := decimal(number)
		if ok && n >= next {
			next = n + 1
		}
	}
	return next
}

// FindArtifact returns the first of names that is artifact n, "" when none is.
func FindArtifact(names []string, n int) string {
	prefix := strconv.Itoa(n) + "."
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			return name
		}
	}
	return ""
}

// decimal reads a number of digits alone, up to 18 of them.
func decimal(s string) (int, bool) {
	if s == "" || len(s) > 18 {
		return 0, false
	}
	for i := range len(s) {
		if !IsDigit(s[i]) {
			return 0, false
		}
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}
