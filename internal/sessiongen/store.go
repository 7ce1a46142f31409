package sessiongen

import (
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"path"
	"strings"
)

// A Planned is a session of a generated store that is yet to be written.
type Planned struct {
	// Path is its file, relative to the home directory.
	Path string
	// ModTime is when it shall last have changed, in milliseconds since 1970.
	ModTime int64
	// Write writes it. It must be called before the next one is asked for.
	Write func(w io.Writer) (Summary, error)
}

// Sizes of a store's sessions spread as those of people do: most are short, a
// few hold most of the bytes. spread is the deviation of their logarithm, most
// the largest in mean sizes.
const (
	spread = 1.2
	most   = 40.0
)

// storeEntry is the mean size of an entry of a store in bytes.
const storeEntry = 2_500

// storeShares are the sizes of a question, a call, its result and an answer, in
// mean sizes: most of what is stored is what tools said.
var storeShares = [...]float64{0.12, 0.25, 3.2, 0.43}

// agentDirs are the homes of the programs.
func agentDirs() map[string]string {
	return map[string]string{
		"cambium": ".cambium/agent/sessions", "pi": ".pi/agent/sessions",
		"omp": ".omp/agent/sessions", "xcsh": ".xcsh/agent/sessions",
	}
}

// Store plans n sessions of about size bytes together, spread over the homes of
// agents and over n/50+1 projects in /home/dev. One in four has a name, where
// the agent keeps it; one in ten has a second branch. They are written with a
// vocabulary of 60,000 words, of which few are common and most are rare.
func Store(rng *rand.Rand, n int, size int64, agents ...string) iter.Seq[Planned] {
	return func(yield func(Planned) bool) {
		words := newVocabulary(rng)
		weights, sum := make([]float64, n), 0.0
		for i := range weights {
			weights[i] = min(math.Exp(rng.NormFloat64()*spread), most)
			sum += weights[i]
		}
		for i, weight := range weights {
			p := plan{rng: rng, words: words, i: i, agent: agents[i%len(agents)], size: int64(float64(size) * weight / sum)}
			p.cwd = fmt.Sprintf("/home/dev/project-%d", rng.IntN(n/50+1))
			p.clock = start + int64(i)*3_600_000
			p.id = fmt.Sprintf("%08x-%04x-7%03x-9%03x-%012x", i, i&0xffff, rng.IntN(1<<12), rng.IntN(1<<12), rng.Uint64N(1<<48))
			if !yield(p.planned()) {
				return
			}
		}
	}
}

// plan is one session of a store.
type plan struct {
	rng            *rand.Rand
	words          *vocabulary
	i              int
	agent, cwd, id string
	size, clock    int64
}

func (p plan) planned() Planned {
	dir := "--" + strings.ReplaceAll(strings.TrimPrefix(p.cwd, "/"), "/", "-") + "--"
	stamp := strings.NewReplacer(":", "-", ".", "-").Replace(iso(p.clock))
	return Planned{
		Path:    path.Join(agentDirs()[p.agent], dir, stamp+"_"+p.id+".jsonl"),
		ModTime: p.clock + 1_800_000,
		Write:   p.write,
	}
}

// write streams the session out.
func (p plan) write(w io.Writer) (Summary, error) {
	tex := texture{entry: storeEntry, fill: sparse, word: p.words.word}
	if p.i%2 == 0 {
		tex.fill = dense
	}
	c := &corpus{w: w, rng: p.rng, tex: tex, clock: p.clock}
	named, title := p.rng.IntN(4) == 0, fmt.Sprintf("%s %s %d", pick(p.rng, words[:]...), pick(p.rng, words[:]...), p.i)
	c.buf = fmt.Appendf(c.buf, `{"type":"session","version":3,"id":"%s","timestamp":"%s","cwd":"%s"`, p.id, iso(p.clock), p.cwd)
	if named && p.agent != "pi" {
		c.buf = fmt.Appendf(c.buf, `,"title":"%s"`, title)
	}
	c.buf = append(c.buf, '}')
	if err := c.flush(); err != nil {
		return c.sum, err
	}
	entries, fork := max(int(p.size/storeEntry), 2), ""
	for i := range entries {
		left := float64(p.size-c.sum.Bytes) / float64(entries-i)
		c.entry(i, entries, left*storeShares[i%4]*(0.2+1.6*p.rng.Float64()))
		if err := c.flush(); err != nil {
			return c.sum, err
		}
		switch {
		case i%4 == 3 && fork == "":
			fork = c.sum.Leaf
		case i == entries/2 && i%4 == 3 && p.i%10 == 0:
			c.sum.Leaf = fork // another branch
		}
	}
	if named && p.agent == "pi" {
		c.buf = fmt.Appendf(c.buf, `{"type":"session_info","id":"ffffffff","parentId":%s,"timestamp":"%s","name":"%s"}`,
			orNull(c.sum.Leaf), iso(c.clock), title)
		return c.sum, c.flush()
	}
	return c.sum, nil
}
