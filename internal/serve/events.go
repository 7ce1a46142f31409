package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Times of event streams.
const (
	beat      = 15 * time.Second // between signs of life
	eventTime = 10 * time.Second // for a portion to be read
)

// serveEvents sends the notifications of a connection as server-sent events, for
// as long as the client reads.
func (s *server) serveEvents(w http.ResponseWriter, r *http.Request, t Token) {
	seen := int64(0)
	if text := r.Header.Get("Last-Event-ID"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			plain(w, http.StatusBadRequest, "Last-Event-ID is not the number of an event")
			return
		}
		seen = n
	}
	c, err := s.find(r.Header.Get(header), t)
	if err != nil {
		s.refuseClient(w, err)
		return
	}
	s.keep(c)
	defer s.leave(c, true)
	s.metrics.streams.Inc()
	defer s.metrics.streams.Dec()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set(header, c.id)
	out := &stream{s: s, w: w, flush: http.NewResponseController(w)}
	out.event("session", 0, []byte(strconv.Quote(c.id)))
	why, err := out.follow(r.Context(), c.feed, seen)
	if err != nil {
		why = endSlow
		if r.Context().Err() != nil {
			return // gone
		}
	}
	if why == endSlow {
		s.metrics.refuse("slow")
	}
	s.log.Info("event stream ended", "token", t.Name, "why", why)
}

// A stream is what one reader of events gets.
type stream struct {
	s     *server
	w     http.ResponseWriter
	flush *http.ResponseController
	next  bytes.Buffer
}

// event adds an event to what is sent next.
func (o *stream) event(kind string, number int64, data []byte) {
	if number > 0 {
		fmt.Fprintf(&o.next, "id: %d\n", number)
	}
	if kind != "" {
		o.next.WriteString("event: " + kind + "\n")
	}
	o.next.WriteString("data: ")
	o.next.Write(data)
	o.next.WriteString("\n\n")
}

// send sends what there is. A reader that does not take it in time is dropped.
func (o *stream) send() error {
	if err := o.flush.SetWriteDeadline(time.Now().Add(eventTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	n, err := o.w.Write(o.next.Bytes())
	o.s.metrics.sent.Add(n)
	o.next.Reset()
	if err != nil {
		return err
	}
	return o.flush.Flush()
}

// follow sends what comes after an event until there is no more, and returns why.
func (o *stream) follow(ctx context.Context, f *feed, seen int64) (why string, err error) {
	alive := time.NewTicker(beat)
	defer alive.Stop()
	for first := true; ; first = false {
		p := f.after(seen)
		switch {
		case p.missed > 0 && first:
			o.event("missed", 0, fmt.Appendf(nil, `{"missed":%d}`, p.missed))
		case p.missed > 0:
			o.event("end", 0, fmt.Appendf(nil, `{"reason":%q,"missed":%d}`, endSlow, p.missed))
			return endSlow, o.send()
		}
		for i, e := range p.events {
			o.event("", p.first+int64(i), e)
		}
		seen = p.first + int64(len(p.events)) - 1
		ended := p.ended
		if o.s.stopping() && ended == "" {
			ended = endStopping
		}
		if ended != "" {
			o.event("end", 0, fmt.Appendf(nil, `{"reason":%q}`, ended))
			return ended, o.send()
		}
		if o.next.Len() > 0 {
			if err := o.send(); err != nil {
				return "", err
			}
		}
		select {
		case <-p.more:
		case <-o.s.draining:
		case <-alive.C:
			o.next.WriteString(":\n\n")
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}
