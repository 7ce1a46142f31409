package sessiongen

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
)

// words is the vocabulary of 27 words that generated prose is made of.
var words = [...]string{
	"the", "session", "branch", "reads", "a", "line", "and", "keeps", "every",
	"byte", "parser", "returns", "an", "error", "when", "tail", "is", "torn",
	"leaf", "moves", "to", "new", "entry", "under", "lock", "file", "test",
}

// fragments are JSON string contents (without the quotes) that readers and
// terminals are known to stumble over; each is valid JSON as it stands.
var fragments = [...]string{
	"caf\u00e9 na\u00efve", "\u65e5\u672c\u8a9e", "\U0001F600\U0001F469\u200d\U0001F467", "\U0001D518\U0001D52B\U0001D526",
	"\u2028", "\u2029", `\u2028`, `\ud83d`, `\udc00 tail`, `\ud83d\ude00`, `\udbff\udfff`,
	`\u0000`, `\u001b[31mred\u001b[0m`, `\u001b]0;title\u0007`, `\"quoted\"`, `back\\slash`, `\/solidus`,
	`\u00E9`, `\u00e9`, "</script>", "a&b<c>d", "\u202eright-to-left", "\u007f", "\u0085", "\u00a0", "\ufeff",
	`tab\there`, `line\nbreak`, `\r\n`, `\b\f`, "```go\\nfmt.Println(\\\"x\\\")\\n```", "| a | b |\\n|---|---|",
	"e\u0301", "\ufffd", "{\\\"type\\\":\\\"session\\\"}", `\n\n\n`, "  spaces  ",
}

// numbers are JSON numbers whose spelling or size a careless reader loses.
var numbers = [...]string{
	"0", "-0", "1", "-17", "1.0", "0.1", "1e21", "1E-7", "9007199254740991",
	"9007199254740993", "123456789012345678901234567890", "-1.5e+3", "5e-324",
}

// pick returns one of the values.
func pick[T any](rng *rand.Rand, values ...T) T { return values[rng.IntN(len(values))] }

// prose returns n words separated by blanks.
func prose(rng *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[rng.IntN(len(words))])
	}
	return b.String()
}

// text returns a quoted JSON string: prose of up to max words, one in three
// with difficult fragments in it.
func text(rng *rand.Rand, max int) string {
	n := 1 + rng.IntN(max)
	if rng.IntN(3) > 0 {
		return quote(prose(rng, n))
	}
	var b strings.Builder
	b.WriteByte('"')
	for range n {
		if rng.IntN(4) == 0 {
			b.WriteString(fragments[rng.IntN(len(fragments))])
		} else {
			b.WriteString(words[rng.IntN(len(words))])
		}
		b.WriteByte(' ')
	}
	b.WriteByte('"')
	return b.String()
}

// value returns any JSON value, at most depth levels deep, of the sort that
// tools leave in arguments and details.
func value(rng *rand.Rand, depth int) string {
	kind := rng.IntN(8)
	if depth == 0 {
		kind = rng.IntN(5)
	}
	switch kind {
	case 0:
		return numbers[rng.IntN(len(numbers))]
	case 1:
		return pick(rng, "true", "false", "null")
	case 2, 3, 4:
		return text(rng, 6)
	case 5:
		var items []string
		for range rng.IntN(4) {
			items = append(items, value(rng, depth-1))
		}
		return array(items...)
	}
	return record(rng, depth).json()
}

// record returns an object of one to four members, now and then with names that
// JavaScript orders or treats in its own way.
func record(rng *rand.Rand, depth int) object {
	var o object
	names := []string{"path", "count", "10", "2", "nested", "query", "\u00fc", "constructor", "", "a b"}
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names[:1+rng.IntN(4)] {
		o.raw(name, value(rng, max(depth-1, 0)))
	}
	return o
}

// base64Bytes returns n random bytes as base64.
func base64Bytes(rng *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return base64.StdEncoding.EncodeToString(b)
}
