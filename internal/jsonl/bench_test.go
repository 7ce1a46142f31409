package jsonl_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonl"
)

// envelope asks for what the records of a session are indexed by.
func envelope() *jsonl.Query {
	return &jsonl.Query{
		Keys:   []string{"type", "id", "parentId", "timestamp", "message", "targetId", "customType"},
		Inside: 4,
		Inner:  []string{"role", "toolCallId"},
	}
}

// corpora returns files of about size bytes: large lines with an escape every
// 50 bytes, large ones with an escape every 15, small ones, and very large ones
// with hardly an escape, as images are.
func corpora(size int) map[string][]byte {
	return map[string][]byte{
		"large": corpus(size, 12_000, 50),
		"dense": corpus(size, 6_000, 15),
		"small": corpus(size, 200, 50),
		"plain": corpus(size, 100_000, 1_000_000),
	}
}

func corpus(size, text, every int) []byte {
	words := []string{"the", "function", "returns", "a", "buffer", "of", "lines", "when", "reader", "is", "empty", "and", "otherwise", "blocks"}
	escapes := []string{`\n`, `\n`, `\"`, `\t`, `\\`, `\u003c`}
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `{"type":"message","id":"%08x","parentId":"%08x","timestamp":"2026-02-16T10:20:30.000Z","message":{"role":"assistant","content":[{"type":"text","text":"`, i+1, i)
		for n, last := 0, 0; n < text; {
			w := words[r.IntN(len(words))]
			b.WriteString(w)
			n += len(w) + 1
			if n-last >= every/2+r.IntN(every) {
				b.WriteString(escapes[r.IntN(len(escapes))])
				last = n
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteString(`"}],"api":"messages","provider":"anthropic","model":"m-1","usage":{"input":12,"output":345,"cacheRead":6789,"cacheWrite":0,"totalTokens":7146,"cost":{"input":0.01,"output":0.02,"total":0.03}},"stopReason":"stop","timestamp":1771237230000}}` + "\n")
	}
	return b.Bytes()
}

func BenchmarkScan(b *testing.B) {
	q := envelope()
	for name, file := range corpora(8 << 20) {
		lines := bytes.SplitAfter(file, []byte("\n"))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			var found [9]jsonl.Span
			for b.Loop() {
				for _, line := range lines[:len(lines)-1] {
					if err := q.Scan(line, found[:]); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkMachine(b *testing.B) {
	m := jsonl.NewMachine(envelope())
	for name, file := range corpora(8 << 20) {
		lines := bytes.SplitAfter(file, []byte("\n"))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				for _, line := range lines[:len(lines)-1] {
					m.Reset()
					if _, err := m.Write(line); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkLines(b *testing.B) {
	q := envelope()
	for name, file := range corpora(8 << 20) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			var found [9]jsonl.Span
			for b.Loop() {
				err := jsonl.Lines(bytes.NewReader(file), 0, -1, jsonl.Options{}, func(l jsonl.Line) error {
					return q.Scan(l.Text(), found[:])
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReverse(b *testing.B) {
	file := corpora(8 << 20)["small"]
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		err := jsonl.Reverse(bytes.NewReader(file), int64(len(file)), 0, func(jsonl.Line) error { return nil })
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendQuote(b *testing.B) {
	text := strings.Repeat("a line of \"text\" that is not so short\n", 50)
	b.SetBytes(int64(len(text)))
	var dst []byte
	for b.Loop() {
		dst = jsonl.AppendQuote(dst[:0], text)
	}
}
