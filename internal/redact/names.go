package redact

import (
	"regexp"
	"slices"
	"strings"
)

// leastName is the length of the shortest name that is taken for one.
const leastName = 3

// common are names of users that name nobody.
func common() []string {
	return strings.Fields(`admin administrator app build builder ci code codespace debian default dev developer docker ec2-user
		git guest home jenkins me node nobody public root runner shared sandbox test tester ubuntu user users vagrant vscode work`)
}

// inHome finds the homes of any user, by where systems put them.
var inHome = lazily(`(?:/home/|/Users/|[A-Za-z]:(?:\\{1,4}|/)Users(?:\\{1,4}|/))([\pL\pN_][\pL\pN_.-]*)`)

// names finds home directories, and the names of their users.
type names struct {
	home  string
	users *regexp.Regexp // nil for none
}

// namesOf returns what to look for.
func namesOf(o Options) *names {
	n := &names{home: strings.TrimRight(o.Home, `/\`)}
	users := []string{o.User}
	if o.User == "" {
		users[0] = n.home[strings.LastIndexAny(n.home, `/\`)+1:]
	}
	for _, dir := range append([]string{o.Home}, o.Dirs...) {
		if at := inHome().FindStringSubmatch(dir); at != nil {
			users = append(users, at[1])
		}
	}
	slices.Sort(users)
	var quoted []string
	for _, user := range slices.Compact(users) {
		if len(user) >= leastName && !slices.Contains(common(), strings.ToLower(user)) {
			quoted = append(quoted, regexp.QuoteMeta(user))
		}
	}
	if len(quoted) > 0 {
		n.users = regexp.MustCompile(`(?i)(?:` + strings.Join(quoted, "|") + `)`)
	}
	return n
}

// spans returns where in a text homes and users are.
func (n *names) spans(s string) (found []span) {
	if len(n.home) > 1 {
		for from := 0; ; {
			at := strings.Index(s[from:], n.home)
			if at < 0 {
				break
			}
			at += from
			if from = at + len(n.home); !wordAt(s, from) && !wordBefore(s, at) {
				found = append(found, span{at, from, Home})
			}
		}
	}
	var homes [][]int
	if strings.Contains(s, "/home/") || strings.Contains(s, "Users") {
		homes = inHome().FindAllStringIndex(s, -1)
	}
	for _, at := range homes {
		if !wordBefore(s, at[0]) {
			found = append(found, span{at[0], at[1], Home})
		}
	}
	if n.users == nil {
		return found
	}
	for _, at := range n.users.FindAllStringIndex(s, -1) {
		if !wordBefore(s, at[0]) && !wordAt(s, at[1]) {
			found = append(found, span{at[0], at[1], User})
		}
	}
	return found
}

// wordAt reports whether a word goes on at a place.
func wordAt(s string, at int) bool { return at < len(s) && wordy(s[at]) }

// wordBefore reports whether a word ends before a place.
func wordBefore(s string, at int) bool { return at > 0 && wordy(s[at-1]) }

// wordy reports whether a byte is part of a word.
func wordy(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}
