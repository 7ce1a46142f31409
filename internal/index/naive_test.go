package index_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/cambium-dev/cambium/search"
)

// A line is an entry of a session whose text is known.
type line struct {
	path, id, role, text string
	at                   time.Time
}

// vocabulary is what random texts are made of, hard cases among it.
var vocabulary = strings.Fields(`retry retries Retry RETRY backoff io.ReadFull readfull foo_bar Foo-Bar /etc/hosts don't C++ c
	--flag x=1 会话 会 重建会话 straße STRASSE K k ſet set Σίσυφος σίσυφος naïve naive 3.14 v2 a "quoted" -minus (call) re:x`)

var blanks = []string{" ", "  ", "\n", "\t", " \n ", "\u00a0"}

func randomText(rng *rand.Rand) string {
	var b strings.Builder
	for range 1 + rng.IntN(12) {
		b.WriteString(vocabulary[rng.IntN(len(vocabulary))])
		b.WriteString(blanks[rng.IntN(len(blanks))])
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// A want is one part of a query, as the test understands it.
type want struct {
	text string // in the query
	not  bool
	ok   func(l line) bool
}

// part returns a random part of a query.
func part(rng *rand.Rand) want {
	word := vocabulary[rng.IntN(len(vocabulary))]
	for strings.ContainsAny(word, `":`) || strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") {
		word = vocabulary[rng.IntN(len(vocabulary))]
	}
	w := want{not: rng.IntN(5) == 0}
	switch rng.IntN(9) {
	case 0:
		other := vocabulary[rng.IntN(6)]
		w.text = fmt.Sprintf(`"%s  %s"`, word, other)
		w.ok = func(l line) bool { return stands(l.text, word+" "+other, false) }
	case 1:
		start := string([]rune(word)[:1+rng.IntN(len([]rune(word)))])
		if strings.Trim(start, "-*") == "" {
			start = "re"
		}
		w.text = start + "*"
		w.ok = func(l line) bool { return stands(l.text, start, true) }
	case 2:
		re := []string{`ret.y`, `^retr`, `\bset\b`, `o{2}`, `会.`, `\d\.\d`, `[^a-z]c\+`, `k\s+k`,
			`foo_bar\s+c`, `\.readfull\b`, `(set|会).*retry`, ` io\.ReadFull\s`, `x=1.{0,9}3\.14`}[rng.IntN(13)]
		w.text = `re:"` + re + `"`
		compiled := regexp.MustCompile(`(?im)` + re)
		w.ok = func(l line) bool { return compiled.MatchString(l.text) }
	case 3:
		role := []string{"user", "assistant", "tool"}[rng.IntN(3)]
		w.text = "role:" + role
		w.ok = func(l line) bool { return strings.HasPrefix(l.role, role) }
	case 4:
		days := rng.IntN(40)
		w.text = fmt.Sprintf("after:%dd", days)
		w.ok = func(l line) bool { return !l.at.Before(now.AddDate(0, 0, -days)) }
	case 5:
		w.text = "file:" + word
		w.ok = func(l line) bool { return l.role == "toolResult" && stands(l.text, word, false) }
	default:
		w.text = word
		w.ok = func(l line) bool { return stands(l.text, word, false) }
	}
	return w
}

// stands reports whether needle stands in text as words do, the slow way: at
// every place, rune by rune.
func stands(text, needle string, prefix bool) bool {
	t, n := []rune(strings.Join(strings.Fields(text), " ")), []rune(needle)
	for i := 0; i+len(n) <= len(t); i++ {
		if !strings.EqualFold(string(t[i:i+len(n)]), string(n)) {
			continue
		}
		end := i + len(n)
		if i > 0 && joined(t[i-1], t[i]) || !prefix && end < len(t) && joined(t[end-1], t[end]) {
			continue
		}
		return true
	}
	return false
}

// joined reports whether two runes are of one word.
func joined(a, b rune) bool {
	part := func(r rune) bool {
		return unicode.In(r, unicode.L, unicode.N, unicode.M) && !unicode.Is(unicode.Han, r)
	}
	return part(a) && part(b)
}

// TestSearchAgainstNaive compares what is found with an index, without one and by
// looking at every text.
func TestSearchAgainstNaive(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 8))
	h := newHome(t)
	var all []line
	for n := range 25 {
		id := fmt.Sprintf("s%07d", n)
		content := []string{header(id, fmt.Sprintf("/work/p%d", n%3))}
		parent := ""
		for e := range 1 + rng.IntN(30) {
			l := line{id: fmt.Sprintf("%04d%04d", n, e), role: []string{"user", "assistant", "toolResult"}[rng.IntN(3)],
				text: randomText(rng), at: now.Add(-time.Duration(rng.IntN(40*24*60)) * time.Minute).Truncate(time.Millisecond)}
			if rng.IntN(90) == 0 {
				l.text = strings.Repeat(l.text+" ", 1200) // more than a chunk
			}
			content = append(content, message(l.id, parent, l.role, l.text, l.at))
			parent = l.id
			all = append(all, l)
		}
		path := h.write([]string{"pi", "omp", "xcsh", "cambium"}[n%4], id, lines(content...))
		for i := range all {
			if all[i].path == "" {
				all[i].path = path
			}
		}
	}
	x := h.index()
	h.update(x)
	for range 80 {
		parts := []want{part(rng)}
		for rng.IntN(2) == 0 {
			parts = append(parts, part(rng))
		}
		parts[0].not = false
		var text []string
		for _, p := range parts {
			if p.not {
				p.text = "-" + p.text
			}
			text = append(text, p.text)
		}
		query := strings.Join(text, " ")
		if strings.Contains(query, "---") {
			continue // a minus before two is a flag
		}
		wanted := []string{}
		for _, l := range all {
			if !slices.ContainsFunc(merge(parts), func(p want) bool { return p.ok(l) == p.not }) {
				wanted = append(wanted, l.path+" "+l.id)
			}
		}
		slices.Sort(wanted)
		direct := h.search(query, search.Options{Options: h.options(nil)})
		indexed := h.search(query, search.Options{Options: h.options(x)})
		if diff := different(direct, indexed); diff != "" {
			t.Fatalf("query %s: without and with an index (-without +with):\n%.3000s", query, diff)
		}
		got := []string{}
		for _, hit := range direct {
			got = append(got, hit.Info.Path+" "+hit.EntryID)
		}
		slices.Sort(got)
		if diff := different(wanted, got); diff != "" {
			t.Fatalf("query %s: hits (-want +got):\n%.3000s", query, diff)
		}
	}
	if len(h.say) > 0 {
		t.Errorf("told: %q", h.say)
	}
}

// merge makes one of several values that are asked for by a filter: either will do.
func merge(parts []want) (rest []want) {
	either := map[string][]want{}
	for _, p := range parts {
		name, _, _ := strings.Cut(p.text, ":")
		if (name == "role" || name == "file") && !p.not {
			either[name] = append(either[name], p)
		} else {
			rest = append(rest, p)
		}
	}
	for _, some := range either {
		rest = append(rest, want{ok: func(l line) bool {
			return slices.ContainsFunc(some, func(p want) bool { return p.ok(l) })
		}})
	}
	return rest
}
