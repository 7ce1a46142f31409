package tool

import (
	"os"
	"sync"
)

// The limits of what reaches a model. What is longer is cut, and the result says
// so and how to see the rest.
const (
	// MaxLines and MaxBytes bound the text of one result.
	MaxLines = 2000
	MaxBytes = 50 << 10
	// MaxLine is how many bytes of one line read shows; grep shows MaxHit.
	MaxLine = 2000
	MaxHit  = 400
	// MaxImage is the largest picture that read shows, in bytes: 5 MiB once it
	// is base64.
	MaxImage = 15 << 18
	// MaxEdit is the largest file that edit changes and that write makes a
	// diff of, in bytes.
	MaxEdit = 32 << 20
	// MaxArtifact is how much of a command's output its artifact holds, in
	// bytes. What comes after is read and lost, but for the end of it.
	MaxArtifact = 256 << 20
)

// OutsideFlag is the flag of the command line that sets [Env.Outside].
const OutsideFlag = "--yes"

// All returns the tools in the order in which models are told of them. Those of
// one call know of each other: two changes of one file do not overlap.
func All() []Tool {
	files := &locks{held: map[string]*lock{}}
	return []Tool{
		readTool{}, bashTool{}, editTool{files}, writeTool{files}, grepTool{}, findTool{}, lsTool{},
	}
}

// Names returns the names of the tools, in the order of [All].
func Names() []string {
	var names []string
	for _, t := range All() {
		names = append(names, t.Spec().Name)
	}
	return names
}

// Find returns the tool of that name; nil when there is none.
func Find(all []Tool, name string) Tool {
	for _, t := range all {
		if t.Spec().Name == name {
			return t
		}
	}
	return nil
}

// locks lets one at a time change a file, by its real path.
type locks struct {
	mu sync.Mutex
	// held is guarded by mu; a lock is in it as long as somebody wants it.
	held map[string]*lock
}

type lock struct {
	sync.Mutex
	wanted int
}

// lock waits for the file at a real path and returns what frees it.
func (l *locks) lock(real string) (unlock func()) {
	l.mu.Lock()
	k := l.held[real]
	if k == nil {
		k = &lock{}
		l.held[real] = k
	}
	k.wanted++
	l.mu.Unlock()
	k.Lock()
	return func() {
		k.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if k.wanted--; k.wanted == 0 {
			delete(l.held, real)
		}
	}
}

// separator is what stands between the parts of a path.
const separator = string(os.PathSeparator)
