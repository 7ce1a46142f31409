package wiretest

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"net"
	"net/http"
	"strings"
)

// maxBody is the most that a request may hold.
const maxBody = 256 << 20

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "wiretest: "+err.Error(), http.StatusBadRequest)
		return
	}
	req := Request{Protocol: protocolOf(r.URL.Path), Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	if req.Protocol == "" || r.Method != http.MethodPost {
		http.Error(w, "wiretest: nothing is served here", http.StatusNotFound)
		return
	}
	s.note(req)
	reply, ok := s.choose(req)
	if !ok {
		s.mu.Lock()
		s.refused++
		s.mu.Unlock()
		http.Error(w, "wiretest: the script has no reply left", http.StatusTeapot)
		return
	}
	d := &delivery{w: w, r: r, reply: reply, done: s.done}
	if err := d.answer(req); err != nil && !errors.Is(err, errEnd) {
		http.Error(w, "wiretest: "+err.Error(), http.StatusTeapot)
	}
}

func protocolOf(path string) Protocol {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return Chat
	case strings.HasSuffix(path, "/responses"):
		return Responses
	case strings.HasSuffix(path, "/messages"):
		return Anthropic
	}
	return ""
}

// errEnd says that an answer has ended early.
var errEnd = errors.New("the answer has ended")

// delivery is the way of one answer.
type delivery struct {
	w     http.ResponseWriter
	r     *http.Request
	reply Reply
	done  <-chan struct{}
	// events and bytes have been sent.
	events, bytes int
}

func (d *delivery) answer(req Request) error {
	reply := d.reply
	var stream []byte
	switch {
	case reply.Say != nil:
		return d.stream(req, reply.Say.events(req))
	case reply.File != "":
		var err error
		if stream, err = File(req.Protocol, reply.File); err != nil {
			return err
		}
	case reply.Stream != nil:
		stream = reply.Stream
	case reply.Raw != nil:
		return d.stream(req, []event{{raw: reply.Raw}})
	case reply.Flow != nil:
		return d.flow(reply.Flow)
	case reply.Fail != "":
		p := reply.Fail.in(req)
		return d.plain(p.status, p.header, p.body(req.Protocol))
	default:
		body := []byte(reply.Body)
		if body == nil {
			body = []byte(reply.Text)
		}
		return d.plain(max(reply.Status, http.StatusOK), nil, body)
	}
	return d.stream(req, split(stream))
}

// plain sends an answer that is no stream.
func (d *delivery) plain(status int, header Header, body []byte) error {
	d.w.Header().Set("Content-Type", "application/json")
	d.w.Header().Set("Request-Id", "req_011CUB2XUHWkFnQzxcKBbjpF")
	d.headers(header)
	d.headers(d.reply.Header)
	if err := d.before(); err != nil {
		return err
	}
	d.w.WriteHeader(status)
	return d.send(body)
}

func (d *delivery) headers(h Header) {
	for key, value := range h {
		d.w.Header().Set(key, value)
	}
}

// flow sends pieces while they are made.
func (d *delivery) flow(pieces iter.Seq[[]byte]) error {
	if err := d.open(); err != nil {
		return err
	}
	for piece := range pieces {
		if err := d.send(piece); err != nil {
			return err
		}
	}
	return nil
}

// open begins a stream.
func (d *delivery) open() error {
	d.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	d.w.Header().Set("Cache-Control", "no-cache")
	d.w.Header().Set("Request-Id", "req_011CUB2XUHWkFnQzxcKBbjpF")
	d.headers(d.reply.Header)
	d.w.WriteHeader(max(d.reply.Status, http.StatusOK))
	return d.flush()
}

// stream sends events.
func (d *delivery) stream(req Request, events []event) error {
	if err := d.open(); err != nil {
		return err
	}
	for _, e := range events {
		if err := d.before(); err != nil {
			return err
		}
		if d.reply.FailAfter != "" && d.events == d.reply.Events {
			return d.send(d.reply.FailAfter.in(req).event(req.Protocol).text())
		}
		if err := d.send(e.text()); err != nil {
			return err
		}
		d.events++
	}
	return d.before()
}

// before waits or ends where the reply says so: before the next event.
func (d *delivery) before() error {
	r := d.reply
	if r.Gate != nil {
		if err := d.flush(); err != nil {
			return err
		}
		if err := d.wait(r.Gate); err != nil {
			return err
		}
	}
	if d.events != r.Events {
		return nil
	}
	if r.Stall {
		if err := d.flush(); err != nil {
			return err
		}
		if err := d.wait(r.Release); err != nil {
			return err
		}
	}
	if r.Cut != "" && r.Bytes == 0 {
		return d.cut()
	}
	return nil
}

func (d *delivery) wait(ch <-chan struct{}) error {
	select {
	case <-ch:
		return nil
	case <-d.r.Context().Done():
	case <-d.done:
	}
	return errEnd
}

// send writes text, as much of it as the reply's bytes allow.
func (d *delivery) send(text []byte) error {
	if left := d.reply.Bytes - d.bytes; d.reply.Cut != "" && d.reply.Bytes > 0 && len(text) >= left {
		if _, err := d.w.Write(text[:left]); err != nil {
			return errEnd
		}
		return d.cut()
	}
	d.bytes += len(text)
	if _, err := d.w.Write(text); err != nil {
		return errEnd
	}
	return nil
}

func (d *delivery) flush() error {
	if http.NewResponseController(d.w).Flush() != nil {
		return errEnd
	}
	return nil
}

// cut ends the answer in the reply's way.
func (d *delivery) cut() error {
	if d.reply.Cut == Clean || d.flush() != nil {
		return errEnd
	}
	conn, _, err := http.NewResponseController(d.w).Hijack()
	if err != nil {
		return errEnd
	}
	if tcp, ok := conn.(*net.TCPConn); ok && d.reply.Cut == Reset {
		_ = tcp.SetLinger(0) // closing then resets
	}
	_ = conn.Close() // that is the point
	return errEnd
}

// An event is one of a stream: its name, "" for none, and its data; or the text
// of any number of events.
type event struct {
	name string
	data []byte
	raw  []byte
}

// text returns the event as it is sent.
func (e event) text() []byte {
	if e.raw != nil {
		return e.raw
	}
	var b bytes.Buffer
	if e.name != "" {
		b.WriteString("event: " + e.name + "\n")
	}
	if e.data != nil {
		b.WriteString("data: ")
		b.Write(e.data)
		b.WriteString("\n")
	}
	b.WriteString("\n")
	return b.Bytes()
}

// split divides a stream into its events; each is kept as it is written.
func split(stream []byte) []event {
	var events []event
	for _, block := range bytes.Split(bytes.TrimSpace(stream), []byte("\n\n")) {
		var e event
		for _, line := range bytes.Split(block, []byte("\n")) {
			if name, ok := bytes.CutPrefix(line, []byte("event: ")); ok {
				e.name = string(name)
			} else if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
				e.data = data
			}
		}
		events = append(events, e)
	}
	return events
}
