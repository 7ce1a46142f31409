package sessiongen

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
)

// Summary says what a corpus holds.
type Summary struct {
	// Bytes is the size of the file, Entries the number of its entries (header
	// not counted), all of them messages on one branch.
	Bytes   int64
	Entries int
	// Leaf is the id of the last entry.
	Leaf string
}

// Mean sizes of an entry: 9,100 in 110 MB, 183,000 in 117 MB, 17,712 in 110 MB,
// 1,000,000 in 289 MB.
const (
	bigEntry   = 12_088
	smallEntry = 639
	denseEntry = 6_210
	tinyEntry  = 289
)

// Big writes a linear session of about size bytes whose entries are of about
// 12 KB: prose of 27 words with an escape every 50 bytes. At 110,000,000 bytes
// it has 9,100 messages. The text is what a copying reader likes best.
func Big(w io.Writer, rng *rand.Rand, size int64) (Summary, error) {
	return writeCorpus(w, rng, size, texture{entry: bigEntry, fill: sparse})
}

// Small writes a linear session of about size bytes whose entries are of about
// 640 bytes: 183,000 messages at 117,000,000 bytes. The work is in the entries,
// not in their text.
func Small(w io.Writer, rng *rand.Rand, size int64) (Summary, error) {
	return writeCorpus(w, rng, size, texture{entry: smallEntry, fill: sparse})
}

// Dense writes a linear session of about size bytes whose entries of about 6 KB
// look like Go source and Markdown, with an escape every 15 bytes. A scanner
// that is fast on prose is slow here.
func Dense(w io.Writer, rng *rand.Rand, size int64) (Summary, error) {
	return writeCorpus(w, rng, size, texture{entry: denseEntry, fill: dense})
}

// Tiny writes a linear session of about size bytes whose entries are of about
// 289 bytes, seven of eight a prompt, the eighth an answer: 1,000,000 messages at
// 289,000,000 bytes.
func Tiny(w io.Writer, rng *rand.Rand, size int64) (Summary, error) {
	return writeCorpus(w, rng, size, texture{entry: tinyEntry, fill: sparse, prompts: true})
}

// texture is the mean size of an entry and what its text is made of.
type texture struct {
	entry int
	fill  func(dst []byte, rng *rand.Rand, n int, word func(*rand.Rand) string) []byte
	// word returns the next word of it; nil means one of the 27.
	word func(*rand.Rand) string
	// prompts leaves out tools and most answers, which alone are longer than
	// the shortest entries.
	prompts bool
}

// corpus is a session being streamed out.
type corpus struct {
	w     io.Writer
	rng   *rand.Rand
	tex   texture
	buf   []byte // the line under construction, reused
	sum   Summary
	clock int64
}

// writeCorpus streams header and turns. A turn is a question, a tool call, its
// result and an answer, so that no call is left open and the number of messages
// is the same for every program.
func writeCorpus(w io.Writer, rng *rand.Rand, size int64, tex texture) (Summary, error) {
	c := &corpus{w: w, rng: rng, tex: tex, clock: start}
	c.buf = fmt.Appendf(c.buf, `{"type":"session","version":3,"id":"%016x","timestamp":"%s","cwd":"/"}`,
		rng.Uint64(), iso(start))
	if err := c.flush(); err != nil {
		return c.sum, err
	}
	entries := max(int(size/int64(tex.entry)), 1)
	for i := range entries {
		left := float64(size-c.sum.Bytes) / float64(entries-i)
		c.entry(i, entries, left*(0.5+rng.Float64()))
		if err := c.flush(); err != nil {
			return c.sum, err
		}
	}
	return c.sum, nil
}

// flush writes the line and forgets it.
func (c *corpus) flush() error {
	c.buf = append(c.buf, '\n')
	n, err := c.w.Write(c.buf)
	c.sum.Bytes += int64(n)
	c.buf = c.buf[:0]
	if err != nil {
		return fmt.Errorf("write corpus: %w", err)
	}
	return nil
}

// entry appends entry number i of the given number to the buffer, aiming at a
// size for the whole line.
func (c *corpus) entry(i, entries int, size float64) {
	c.clock += 1 + c.rng.Int64N(20_000)
	id := fmt.Sprintf("%08x", uint32(i)*2654435761) // a permutation: ids differ
	c.buf = append(c.buf, `{"type":"message","id":"`...)
	c.buf = append(c.buf, id...)
	c.buf = append(c.buf, `","parentId":`...)
	c.buf = append(c.buf, orNull(c.sum.Leaf)...)
	c.buf = append(c.buf, `,"timestamp":"`...)
	c.buf = append(c.buf, iso(c.clock)...)
	c.buf = append(c.buf, `","message":`...)
	role := i % 4
	if c.tex.prompts {
		role = 0
		if i%8 == 7 {
			role = 3
		}
	}
	if role == 1 && i == entries-1 {
		role = 3 // a call as the last entry would stay open
	}
	n := max(int(size)-len(c.buf)-c.overhead(role), 8)
	switch role {
	case 0:
		c.buf = append(c.buf, `{"role":"user","content":"`...)
		c.text(n)
		c.buf = append(c.buf, '"')
	case 1:
		c.assistant(fmt.Sprintf(`,{"type":"toolCall","id":"call_%d","name":"read","arguments":{"path":"src/file_%d.go"}}`, i, i), "toolUse", n)
	case 2:
		c.buf = fmt.Appendf(c.buf, `{"role":"toolResult","toolCallId":"call_%d","toolName":"read","content":[{"type":"text","text":"`, i-1)
		c.text(n)
		c.buf = append(c.buf, `"}],"isError":false`...)
	default:
		c.assistant("", "stop", n)
	}
	c.buf = append(c.buf, `,"timestamp":`...)
	c.buf = strconv.AppendInt(c.buf, c.clock, 10)
	c.buf = append(c.buf, "}}"...)
	c.sum.Entries++
	c.sum.Leaf = id
}

// overhead is about what the rest of a message of that role costs in bytes.
func (c *corpus) overhead(role int) int {
	return [...]int{60, 425, 150, 335}[role]
}

// assistant appends an assistant message up to its timestamp.
func (c *corpus) assistant(call, stop string, n int) {
	c.buf = append(c.buf, `{"role":"assistant","content":[{"type":"text","text":"`...)
	c.text(n)
	c.buf = append(c.buf, `"}`...)
	c.buf = append(c.buf, call...)
	c.buf = append(c.buf, `],"api":"anthropic-messages","provider":"anthropic","model":"claude-x","usage":{"input":1200,"output":340,"cacheRead":0,"cacheWrite":0,"totalTokens":1540,"cost":`...)
	c.buf = append(c.buf, zeroCost...)
	c.buf = append(c.buf, `},"stopReason":"`...)
	c.buf = append(c.buf, stop...)
	c.buf = append(c.buf, '"')
}

// text appends n bytes or a few more of the texture's text.
func (c *corpus) text(n int) {
	word := c.tex.word
	if word == nil {
		word = plain
	}
	c.buf = c.tex.fill(c.buf, c.rng, n, word)
}

// sparse appends prose with an escape about every 50 bytes.
func sparse(dst []byte, rng *rand.Rand, n int, word func(*rand.Rand) string) []byte {
	end := len(dst) + n
	nextEscape := len(dst) + 20 + rng.IntN(60)
	for len(dst) < end {
		dst = append(dst, word(rng)...)
		if len(dst) < nextEscape {
			dst = append(dst, ' ')
			continue
		}
		dst = append(dst, pick(rng, `\n`, `\n`, `\"`, `\t`)...)
		nextEscape = len(dst) + 20 + rng.IntN(60)
	}
	return dst
}

// sourceLines are lines of Go and Markdown as JSON string content; % stands for
// a name.
var sourceLines = [...]string{
	`\tif err := %.%(ctx, %, %); err != nil {\n`, `\t\treturn fmt.Errorf(\"read %: %w\", err)\n`, `\t}\n`, `}\n\n`,
	`func (s *%) %(ctx context.Context, name string, % int) (*%, error) {\n`, `\t// % keeps the last % that was read, and the % of %.\n`,
	`\tdefer s.mu.Unlock()\n`, `\tfor i, % := range s.% {\n`, `\t\tswitch %.Kind {\n`, `\t\tcase \"%\", strings.HasPrefix(%, %):\n`,
	`\tlog.Printf(\"% %q\\n\", %)\n`, `\"%\": \"%\",\n`, `### % % % %\n\n`, `- the % of a % and the % that % returns\n`, "```go\\n", "```\\n",
	`import (\n\t\"context\"\n\t\"fmt\"\n)\n`, `<a href=\"%\">% % %</a>\n`, `\tre := regexp.MustCompile(\"^\\\\d+\")\n`, `| % % | % % |\n`,
	`The % % the % of every %, because % and % read the same %.\n`, `// % is the % that % keeps under %; it % the % once.\n`,
	`It % a % in % and gives the % back when the % ends.\n`, `\treturn % + len(%.%) - int(%.%), nil\n`,
}

// dense appends source text with an escape about every 15 bytes.
func dense(dst []byte, rng *rand.Rand, n int, word func(*rand.Rand) string) []byte {
	end := len(dst) + n
	for len(dst) < end {
		line := sourceLines[rng.Uint32N(uint32(len(sourceLines)))]
		for i := range len(line) {
			if line[i] == '%' && (i+1 == len(line) || line[i+1] != 'w' && line[i+1] != 'q') {
				dst = append(dst, word(rng)...)
			} else {
				dst = append(dst, line[i])
			}
		}
	}
	return dst
}
