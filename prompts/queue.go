package prompts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Add keeps a prompt that was typed just now in the working directory cwd and in
// a session, "" for either that is not known. It returns at once; the prompt is
// found at once, too, and written soon. An empty prompt, and one that is the
// same as the one before, are not kept. What goes wrong Trouble is told.
func (h *History) Add(prompt, cwd, sessionID string) {
	text := trim(prompt)
	if text == "" {
		return
	}
	if err := h.enqueue(row{Text: text, Created: h.o.Now().Unix(), CWD: cwd, Session: sessionID}); err != nil {
		h.tell(&fileError{path: h.o.Own.Path, act: "keep prompts", err: err, then: "a prompt is not kept"})
	}
}

func (h *History) enqueue(r row) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return ErrClosed
	}
	if r.Text == h.last {
		return nil
	}
	h.last = r.Text
	h.queue = append(h.queue, r)
	h.start()
	return nil
}

// A writing is one going through the queue.
type writing struct {
	done chan struct{} // closed when it ended
	err  error         // why it ended early; set before done is closed
}

// Flush writes what waits in the queue. The error wraps ErrUnsaved and the
// cause when something still waits, or is that of ctx; the writing goes on then.
func (h *History) Flush(ctx context.Context) error {
	h.mu.Lock()
	h.start()
	w := h.writing
	h.mu.Unlock()
	if w == nil {
		return nil
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if w.err == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return fmt.Errorf("keep %d prompts in %q: %w: %w", len(h.queue), h.o.Own.Path, ErrUnsaved, w.err)
}

// Close writes what waits in the queue and closes the databases. The error is
// that of Flush: then the prompts that it counts are lost. Closing again does
// nothing.
func (h *History) Close() error {
	h.mu.Lock()
	closed := h.closed
	h.closed = true
	h.mu.Unlock()
	if closed {
		return nil
	}
	defer h.give()
	late := time.AfterFunc(h.o.Longest, h.give)
	defer late.Stop()
	err := h.Flush(context.Background())
	h.work.Wait()
	for _, r := range append(slices.Clip(h.others), h.own) {
		if r != nil {
			err = errors.Join(err, r.close())
		}
	}
	return err
}

// start begins to write what waits, unless somebody does. It is called with mu
// held.
func (h *History) start() {
	if h.writing != nil || len(h.queue) == 0 {
		return
	}
	w := &writing{done: make(chan struct{})}
	h.writing = w
	h.work.Go(func() {
		w.err = h.drain()
		close(w.done)
	})
}

// drain writes what waits, and what comes meanwhile, until there is no more or
// something goes wrong.
func (h *History) drain() error {
	for {
		h.mu.Lock()
		batch := slices.Clone(h.queue)
		if len(batch) == 0 {
			h.writing = nil
			h.mu.Unlock()
			return nil
		}
		h.mu.Unlock()
		if err := h.saveAll(batch); err != nil {
			h.mu.Lock()
			h.writing = nil
			h.mu.Unlock()
			h.tell(&fileError{path: h.o.Own.Path, act: "keep prompts", err: err, then: "they wait in memory"})
			return err
		}
	}
}

// dequeue takes the first n prompts, which are written, out of the queue.
func (h *History) dequeue(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queue = slices.Delete(h.queue, 0, n)
}

func (h *History) saveAll(batch rows) error {
	if h.own == nil {
		return errors.New("no database was named")
	}
	return h.save(batch)
}

// pending answers from what waits to be written.
func (h *History) pending(ctx context.Context, queue rows, a ask) (found []Prompt, err error) {
	if len(queue) == 0 {
		return nil, ctx.Err()
	}
	d, err := inMemory(queue)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.conn.Close()) }()
	d.conn.SetInterrupt(ctx.Done())
	all, err := d.find(a, h.o.Own.Parts)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].ID = 0
	}
	return all.of(h.o.Own.Agent), nil
}
