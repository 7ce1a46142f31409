package process

import (
	"os/exec"
	"sync"
)

// A Family is a program with all that it starts.
type Family struct {
	// Cmd is the program, as package os/exec has it: the caller waits for it.
	Cmd *exec.Cmd
	// Terminal leaves it the terminal of this process, where a system has such a thing
	// for a group of processes. Otherwise it has none, and nothing in it can wait for a
	// password on one.
	Terminal bool

	mu   sync.Mutex
	kin  kin  // guarded by mu
	over bool // guarded by mu: nothing is ended by it any more
}

// Start starts the program. It gets none of the keys that a person presses. Who started
// it calls Done when nothing of it is to be ended any more.
func (f *Family) Start() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.start()
	f.over = err != nil
	return err
}

// Ask asks all of the family to end. It is false where a system has no way to ask: then
// it is to be killed.
func (f *Family) Ask() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.over || f.ask()
}

// Kill ends all of the family at once; none of it may be there any more.
func (f *Family) Kill() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.over {
		f.kill()
	}
}

// Done lets go of the family. What still runs goes on.
func (f *Family) Done() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.over {
		f.over = true
		f.release()
	}
}
