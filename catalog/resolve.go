package catalog

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/cambium-dev/cambium/internal/ident"
)

// NotFound says that no session answers to a name.
type NotFound struct {
	Arg string
	// Like are the sessions that have Arg in their titles, newest first, five at
	// most.
	Like []Info
}

// Error says so.
func (e *NotFound) Error() string {
	if e.Arg == "" {
		return "no session found"
	}
	return fmt.Sprintf("find session %q: no such session", e.Arg)
}

// Is says that it is fs.ErrNotExist.
func (e *NotFound) Is(target error) bool { return target == fs.ErrNotExist }

// Ambiguous says that several sessions answer to a name.
type Ambiguous struct {
	Arg string
	// Candidates are those sessions, newest first.
	Candidates []Info
}

// Error says how many there are.
func (e *Ambiguous) Error() string {
	return fmt.Sprintf("find session %q: %d sessions match", e.Arg, len(e.Candidates))
}

// minPrefix is how much of an id must be given at least.
const minPrefix = 4

// IsPath reports whether a person means a file by arg: it has a separator in
// it, or ends as session files do (published P3).
func IsPath(arg string) bool {
	return strings.ContainsAny(arg, `/\`) || strings.HasSuffix(arg, ident.Ext)
}

// Resolve finds the session that a person means by arg: a path as it is; else
// an id, else the beginning of an id or of the id part of a file's name (at
// least 4 characters, upper and lower case alike), else a name, else what one name alone
// has in it. The sessions of
// o.CWD come before all others, which are not looked at when one matches, or
// when SessionDir is set. first takes the newest of several matches instead of
// failing.
//
// For a path only Info.Path is set: nothing is read. The error is a [*NotFound]
// or an [*Ambiguous].
func Resolve(ctx context.Context, arg string, first bool, o Options) (Info, error) {
	if IsPath(arg) {
		if !isAbs(arg) {
			arg = path.Join(o.Env.Cwd, arg)
		}
		return Info{Path: path.Clean(arg)}, nil
	}
	if arg == "" {
		return Info{}, &NotFound{}
	}
	wide := o
	wide.CWD, wide.Text = "", false
	wide.Empty = true // they answer to some names, too
	all, err := List(ctx, wide)
	if err != nil {
		return Info{}, err
	}
	here := all
	if o.CWD != "" && o.SessionDir == "" {
		here = nil
		for _, info := range all {
			if o.same(info.CWD) {
				here = append(here, info)
			}
		}
	}
	for _, scope := range [][]Info{here, all} {
		for _, match := range matches {
			var found []Info
			for _, info := range scope {
				if match(arg, info) {
					found = append(found, info)
				}
			}
			if len(found) == 1 || len(found) > 0 && first {
				return found[0], nil
			}
			if len(found) > 1 {
				return Info{}, &Ambiguous{Arg: arg, Candidates: found}
			}
		}
	}
	for _, scope := range [][]Info{here, all} {
		if found := alike(arg, scope); len(found) == 1 || len(found) > 0 && first {
			return found[0], nil
		} else if len(found) > 1 {
			break
		}
	}
	return Info{}, &NotFound{Arg: arg, Like: alike(arg, all)}
}

// alike returns the first sessions with arg in their titles.
func alike(arg string, all []Info) []Info {
	var found []Info
	for _, info := range all {
		if info.Messages > 0 && strings.Contains(strings.ToLower(info.Title), strings.ToLower(arg)) {
			if found = append(found, info); len(found) == 5 {
				break
			}
		}
	}
	return found
}

// matches are the ways in which a session answers to a name, the strongest
// first. Sessions without a message answer to their whole id, and to their name
// where no other does.
var matches = [...]func(arg string, info Info) bool{
	func(arg string, info Info) bool { return info.ID == arg },
	func(arg string, info Info) bool {
		if len(arg) < minPrefix || info.Messages == 0 {
			return false
		}
		return foldPrefix(info.ID, arg) || foldPrefix(ident.FileID(base(info.Path)), arg)
	},
	func(arg string, info Info) bool { return info.Messages > 0 && info.Title == arg },
	func(arg string, info Info) bool { return info.Messages > 0 && strings.EqualFold(info.Title, arg) },
	func(arg string, info Info) bool { return info.Title == arg },
	func(arg string, info Info) bool { return strings.EqualFold(info.Title, arg) },
}

func foldPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}
