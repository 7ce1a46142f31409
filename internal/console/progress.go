package console

import (
	"time"

	"github.com/cambium-dev/cambium/internal/term"
)

// Progress returns a line of progress on standard error, which the caller closes. There is
// none where no terminal can take a line back.
func (c *Console) Progress(label string) *term.Progress { return c.progress(label, false) }

// ProgressBytes is Progress for a number of bytes.
func (c *Console) ProgressBytes(label string) *term.Progress { return c.progress(label, true) }

func (c *Console) progress(label string, bytes bool) *term.Progress {
	return term.NewProgress(c.Stderr, term.ProgressOptions{
		Label: label, Terminal: c.ErrTTY && !c.JSON && !c.Dumb(), Cols: c.errCols(), Bytes: bytes, Now: c.Now,
	})
}

// Steps is Progress for what is counted by int.
func (c *Console) Steps(label string) (step func(done, total int), end func()) {
	bar := c.Progress(label)
	return func(done, total int) { bar.Step(int64(done), int64(total)) }, bar.Close
}

// Wait shows on standard error that something is being done, if it takes long, until
// stop is called.
func (c *Console) Wait(label string) (stop func()) {
	bar := c.Progress(label + ", seconds")
	if bar == nil {
		return func() {}
	}
	begun, tick := c.Now(), time.NewTicker(time.Second/4)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-tick.C:
				bar.Step(int64(c.Now().Sub(begun).Seconds()), 0)
			case <-done:
				return
			}
		}
	}()
	return func() {
		tick.Stop()
		close(done)
		<-ended
		bar.Close()
	}
}
