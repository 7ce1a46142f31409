package index

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	// orphaned is after how long a file of this version that is not the index is
	// taken for left behind: until then somebody may be about to make it the index.
	orphaned = time.Hour
	// outdated is after how long without a change the index of an older version is
	// taken for one that no program uses any more. One that only reads it changes
	// nothing; it goes on with the file that it has open, and makes another one the
	// next time.
	outdated = 24 * time.Hour
	// daily is how often that is looked after.
	daily = 24 * time.Hour
)

// tidyDaily tidies once a day. When that was, is when the namesake was changed last.
func tidyDaily(dir, name string, now time.Time) {
	info, err := os.Stat(namesake(dir))
	if err != nil || now.Sub(info.ModTime()) < daily {
		return
	}
	if os.Chtimes(namesake(dir), now, now) == nil { // else it would be done again and again
		tidy(dir, name, now)
	}
}

// A remnant is what belongs together of files in the cache directory: a database
// and what lies beside it, a namesake, or what was to become one.
type remnant struct {
	paths   []string
	version int
	changed time.Time // the last of them
}

// tidy removes indexes that were left behind, of this version (but for the one of
// that name) and of older ones. What cannot be removed stays.
func tidy(dir, name string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	all := map[string]*remnant{}
	for _, e := range entries {
		group, of, ok := ours(e.Name())
		if !ok || of > version || group == name || group == filepath.Base(namesake(dir)) {
			continue
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		r := all[group]
		if r == nil {
			r = &remnant{version: of}
			all[group] = r
		}
		r.paths = append(r.paths, filepath.Join(dir, e.Name()))
		if info.ModTime().After(r.changed) {
			r.changed = info.ModTime()
		}
	}
	for _, r := range all {
		age := now.Sub(r.changed)
		if r.version < version && age > outdated || r.version == version && age > orphaned {
			for _, path := range r.paths {
				_ = os.Remove(path) // it is only space
			}
		}
	}
}

// ours reports whether a file in the cache directory is of an index, by its name:
// index-VERSION, index-VERSION-HEX.sqlite with what SQLite puts beside it, or
// index-DIGITS.tmp, which any version makes. group names the database it belongs to.
func ours(name string) (group string, of int, ok bool) {
	rest, ok := strings.CutPrefix(name, "index-")
	if !ok {
		return "", 0, false
	}
	if number, ok := strings.CutSuffix(rest, ".tmp"); ok {
		return name, version, digits(number)
	}
	number, id, more := strings.Cut(rest, "-")
	of, err := strconv.Atoi(number)
	if err != nil || !digits(number) {
		return "", 0, false
	}
	if !more {
		return name, of, true
	}
	id, beside, ok := strings.Cut(id, ".sqlite")
	switch beside {
	case "", "-wal", "-shm", "-journal":
	default:
		return "", 0, false
	}
	if !ok || len(id) != 16 || strings.Trim(id, "0123456789abcdef") != "" {
		return "", 0, false
	}
	return strings.TrimSuffix(name, beside), of, true
}

// digits reports whether a text is a number as it is written here.
func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// remove removes a database and what lies beside it.
func remove(path string) {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		_ = os.Remove(path + suffix) // it is only space
	}
}
