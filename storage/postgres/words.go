package postgres

import (
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

const (
	// maxPiece is how many bytes of words are one value: a tsvector takes 1 MB,
	// with what it needs for itself.
	maxPiece = 128 << 10
	// maxWord is the longest word that is kept whole, in bytes; the server takes
	// 2046.
	maxWord = 1024
)

// texts is what can be found by words in the lines, in columns.
type texts struct {
	on    bool
	line  []int64 // counted from 1
	part  []int64
	words []string
	said  int64
}

// extract takes the words out of lines.
func extract(f func([]byte) (string, int), lines [][]byte) (t texts) {
	if f == nil {
		return t
	}
	t.on = true
	for i, line := range lines {
		words, said := f(line)
		t.said += int64(said)
		for n, piece := range pieces(words) {
			t.line = append(t.line, int64(i+1))
			t.part = append(t.part, int64(n))
			t.words = append(t.words, piece)
		}
	}
	return t
}

// pieces makes of words what the server takes: valid, without NUL, none too long,
// with one space between them, and not too many together.
func pieces(text string) (all []string) {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", " "), "\uFFFD")
	var piece strings.Builder
	for word := range strings.FieldsSeq(text) {
		if len(word) > maxWord {
			end := maxWord
			for !utf8.RuneStart(word[end]) {
				end--
			}
			word = word[:end]
		}
		if piece.Len() > 0 && piece.Len()+len(word) >= maxPiece {
			all = append(all, piece.String())
			piece.Reset()
		}
		if piece.Len() > 0 {
			piece.WriteByte(' ')
		}
		piece.WriteString(word)
	}
	if piece.Len() == 0 {
		return all
	}
	return append(all, piece.String())
}

// asWords is how the words of a piece are kept: as they are, each once.
const asWords = `array_to_tsvector(string_to_array(u.words, ' '))`

// addText is the part of a statement that adds words: to what the head h
// returns, lines from seq on. The parameters are the three columns.
const addText = `, t as (
	insert into @.texts (project, gen, seq, part, words)
	select h.project, h.gen, h.first + u.line, u.part, ` + asWords + `
	from h, unnest($11::bigint[], $12::bigint[], $13::text[]) as u(line, part, words))`

// moreSaid is what the head of a log says that its lines count for, when lines
// are added to it of which the parameter says what they do.
func moreSaid(parameter string) string {
	return "case when texted = lines then said + " + parameter + "::bigint else said end"
}

// queueTexts adds the words of a write behind the head that has its token, some at
// a time.
func (w *write) queueTexts(b *pgx.Batch, first int64) {
	t := &w.texts
	for from := 0; from < len(t.line); {
		to, size := from, 0
		for to < len(t.line) && (to == from || size+len(t.words[to]) <= maxOne) {
			size += len(t.words[to])
			to++
		}
		b.Queue(w.sql(`insert into @.texts (project, gen, seq, part, words)
			select h.project, h.gen, $4::bigint + u.line, u.part, `+asWords+`
			from @.heads h, unnest($5::bigint[], $6::bigint[], $7::text[]) as u(line, part, words)
			where h.dir = $1 and h.base = $2 and h.token = $3 on conflict do nothing`),
			w.dir, w.base, w.end.token, first, t.line[from:to], t.part[from:to], t.words[from:to])
		from = to
	}
}
