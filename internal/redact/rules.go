package redact

import (
	_ "embed"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

//go:embed rules.txt
var table string

// Around a keyword so many bytes are looked at: before it, and behind it.
const (
	before = 256
	behind = 2560
)

// leastPassword is the length of the shortest password that is taken for one, in bytes.
const leastPassword = 4

// privateKey is the kind of a secret that may be of any length. The expression of its rule
// is that of its first line.
const privateKey = "private-key"

// password is the kind of a secret that people choose.
const password = "password"

// assignment is how the expressions of rules say that a value is given to a name, so
// many bytes behind a keyword at most.
const (
	assignment = "(?:=|>|:{1,3}="
	reach      = 48
)

// A rule says what one kind of secret looks like.
type rule struct {
	kind     string
	keywords []string
	entropy  float64
	group    int
	assigned bool // it is the value of a name that has the keyword in it
	expr     func() *regexp.Regexp
}

// rules are read once, and their keywords are put together.
var rules = sync.OnceValue(func() *ruleSet {
	var all ruleSet
	for line := range strings.Lines(table) {
		if line[0] == '#' {
			continue
		}
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 5)
		entropy, err := strconv.ParseFloat(f[2], 64)
		group, err2 := strconv.Atoi(f[3])
		if err != nil || err2 != nil {
			panic("redact: a rule without numbers: " + line)
		}
		assigned := f[0] == password || strings.Contains(f[4], assignment)
		all.rules = append(all.rules, rule{f[0], strings.Split(f[1], "|"), entropy, group, assigned, sync.OnceValue(func() *regexp.Regexp {
			return regexp.MustCompile(f[4])
		})})
	}
	all.words = newWords(all.rules)
	return &all
})

// A ruleSet is all rules.
type ruleSet struct {
	rules []rule
	words *words
}

// secrets returns where the secrets of a text are.
func secrets(s string) (found []span) {
	set := rules()
	keys := false                // there may be private keys
	near := make(map[int][]span) // by rule, where to look; in order, apart from each other
	for word, at := range set.words.all(s) {
		sign := assigns(s[at:min(len(s), at+reach)])
		for _, n := range word {
			if set.rules[n.rule].assigned && !sign {
				continue
			}
			if set.rules[n.rule].kind == privateKey {
				keys = true
				continue
			}
			from, to := max(0, at-before), min(len(s), at+behind)
			places := near[n.rule]
			if last := len(places) - 1; last >= 0 && from <= places[last].to {
				places[last].to = max(places[last].to, to)
				continue
			}
			near[n.rule] = append(places, span{from: from, to: to})
		}
	}
	for n, places := range near {
		for _, at := range places {
			found = set.rules[n].find(found, s, at)
		}
	}
	if keys {
		found = privateKeys(found, s)
	}
	return found
}

// assigns reports whether, behind a keyword, there is a sign that gives a value.
func assigns(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case strings.IndexByte("=:>|?,", c) >= 0:
			return true
		case !wordy(c) && strings.IndexByte(" \t\r\n\v\f.-'\"\\", c) < 0:
			return false
		}
	}
	return false
}

// find adds the secrets of one kind in a part of a text.
func (r *rule) find(found []span, s string, in span) []span {
	for _, at := range r.expr().FindAllStringSubmatchIndex(s[in.from:in.to], -1) {
		from, to := at[0], at[1]
		for group := 1; 2*group < len(at); group++ {
			if at[2*group] >= 0 && (r.group == 0 || r.group == group) {
				from, to = at[2*group], at[2*group+1]
				break
			}
		}
		from, to = in.from+from, in.from+to
		for to == in.to && to < len(s) && inToken(s[to]) { // it goes on behind what was looked at
			to, in.to = to+1, in.to+1
		}
		if secret := s[from:to]; secret != "" && entropy(secret) >= r.entropy && r.fits(secret) {
			found = append(found, span{from, to, r.kind})
		}
	}
	return found
}

// inToken reports whether a byte may be part of a token.
func inToken(c byte) bool { return wordy(c) || strings.IndexByte("=~.+/-", c) >= 0 }

// fits reports whether what the rules for any vendor found looks like a secret: words
// of a program do not.
func (r *rule) fits(secret string) bool {
	switch r.kind {
	case password:
		return len(secret) >= leastPassword
	case "generic-secret":
		return strings.ContainsFunc(secret, unicode.IsDigit) && strings.ContainsFunc(secret, unicode.IsLetter)
	}
	return true
}

// entropy is that of a text, in bits a byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
