package crashfs

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
)

func (n *node) write(w write, now int64) {
	n.data = w.apply(n.data)
	n.writes = append(n.writes, w)
	n.mtime = now
}

func (n *node) resize(size, now int64) { n.write(write{at: size}, now) }

// apply returns content with w done to it. A gap is filled with zero bytes.
func (w write) apply(content []byte) []byte {
	end := w.at + int64(len(w.data))
	if w.data == nil && end <= int64(len(content)) {
		return content[:end:end]
	}
	if end > int64(len(content)) {
		content = append(content, make([]byte, end-int64(len(content)))...)
	}
	copy(content[w.at:], w.data)
	return content
}

// CrashClone returns what would be found after a power cut now. Of what is not
// synced each write and each change of names is kept with a probability of
// percent; at 0 nothing, at 100 all. In between, a write that is not kept may
// leave a part of itself or zero bytes. The same seed gives the same clone.
// The clone is independent: nothing in it is open, locked or pending.
func (s *FS) CrashClone(percent int, seed uint64) *FS {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &cloner{
		percent: percent,
		rnd:     rand.New(rand.NewPCG(seed, 0x6372617368)),
		to:      New(),
		nodes:   make(map[*node]*node),
	}
	c.to.nextIno, c.to.clock = s.nextIno, s.clock
	c.to.root = c.node(s.root)
	for _, ch := range s.pending {
		if c.chance() {
			persist(ch, c.node)
		}
	}
	c.settle()
	return c.to
}

type cloner struct {
	percent int
	rnd     *rand.Rand
	to      *FS
	nodes   map[*node]*node
}

func (c *cloner) chance() bool { return c.rnd.IntN(100) < c.percent }

// node returns the clone of n with what of it is durable.
func (c *cloner) node(n *node) *node {
	if clone := c.nodes[n]; clone != nil {
		return clone
	}
	clone := &node{
		ino: n.ino, mode: n.mode, uid: n.uid, gid: n.gid, mtime: n.mtime,
		target: n.target, lock: make(chan struct{}, 1),
	}
	c.nodes[n] = clone
	switch {
	case n.mode.IsDir():
		clone.durable = make(map[string]*node)
		for _, name := range sortedNames(n.durable) {
			clone.durable[name] = c.node(n.durable[name])
		}
	case n.mode.IsRegular():
		clone.synced = c.content(n)
		clone.data = bytes.Clone(clone.synced)
	}
	return clone
}

func (c *cloner) content(n *node) []byte {
	content := bytes.Clone(n.synced)
	for _, w := range n.writes {
		switch {
		case c.chance():
			content = w.apply(content)
		case c.percent == 0 || w.data == nil || len(w.data) == 0:
		case c.rnd.IntN(3) == 0: // torn
			part := c.rnd.IntN(len(w.data))
			content = write{w.at, w.data[:part]}.apply(content)
		case c.rnd.IntN(3) == 0: // only the size, where it grew
			if end := w.at + int64(len(w.data)); end > int64(len(content)) {
				content = write{at: end}.apply(content)
			}
		}
	}
	return content
}

// settle makes what is durable what is seen, and counts the names.
func (c *cloner) settle() {
	var visit func(n *node)
	visit = func(n *node) {
		n.nlink++
		if !n.mode.IsDir() || n.names != nil {
			return
		}
		n.names = make(map[string]*node, len(n.durable))
		for name, child := range n.durable {
			n.names[name] = child
			visit(child)
		}
	}
	visit(c.to.root)
}

// sortedNames gives the order in which clones draw their random numbers.
func sortedNames(names map[string]*node) []string {
	return slices.Sorted(maps.Keys(names))
}
