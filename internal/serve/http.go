package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/rpc"
)

// header names the connection that a request belongs to.
const header = "Cambium-Session"

// eventHeader tells the number of the last event before an answer.
const eventHeader = "Cambium-Event"

const (
	headerTime = 10 * time.Second // for the headers of a request
	aliveTime  = 2 * time.Minute  // for the next request of a TCP connection
	headerMost = 32 << 10         // bytes of the headers
)

// openHTTP begins to listen for HTTP.
func (s *server) openHTTP() (end, error) {
	fail := func(err error) (end, error) { return end{}, fmt.Errorf("listen on %q: %w", s.o.Listen, err) }
	if (s.o.Cert == "") != (s.o.Key == "") {
		return fail(errors.New("a certificate needs its key, and the key its certificate"))
	}
	tokens, err := s.keys.all()
	if err != nil {
		return end{}, err
	}
	if len(tokens) == 0 {
		return fail(fmt.Errorf("%w in %q: whom should it serve?", ErrNoToken, s.o.Tokens))
	}
	address, err := net.ResolveTCPAddr("tcp", s.o.Listen)
	if err != nil {
		return fail(err)
	}
	if s.o.Cert == "" && !address.IP.IsLoopback() {
		return fail(ErrExposed)
	}
	h := &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: headerTime, IdleTimeout: aliveTime, MaxHeaderBytes: headerMost,
		ConnContext: visited,
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	scheme := "http"
	if s.o.Cert != "" {
		scheme = "https"
		c := &certificate{cert: s.o.Cert, key: s.o.Key, log: s.log}
		if h.TLSConfig, err = c.config(); err != nil {
			return end{}, err
		}
	}
	l, err := net.ListenTCP("tcp", address)
	if err != nil {
		return fail(err)
	}
	door := gated{l, s.doors.http}
	return end{
		address: scheme + "://" + l.Addr().String(),
		serve: func() error {
			var err error
			if scheme == "https" {
				err = h.ServeTLS(door, "", "")
			} else {
				err = h.Serve(door)
			}
			if errors.Is(err, http.ErrServerClosed) {
				return nil
			}
			return fmt.Errorf("serve %q: %w", s.o.Listen, err)
		},
		stop: h.Shutdown,
		kill: func() {
			_ = h.Close() // nothing that anybody waits for is left
			_ = l.Close() // if it was never served
		},
	}, nil
}

// handler answers every request.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /rpc", s.guard(s.serveRPC))
	mux.HandleFunc("DELETE /rpc", s.guard(s.serveEnd))
	mux.HandleFunc("GET /events", s.guard(s.serveEvents))
	mux.HandleFunc("GET /metrics", s.guard(func(w http.ResponseWriter, r *http.Request, _ Token) {
		s.metrics.ServeHTTP(w, r)
	}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := s.ready(r.Context()); err != nil {
			plain(w, http.StatusServiceUnavailable, err.Error())
			return
		}
		plain(w, http.StatusOK, "ok")
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		// Who has shown no token has little time, for a body and for the answer.
		// Not all writers have deadlines, and those that have not need none.
		hasten(w, time.Now().Add(headerTime))
		mux.ServeHTTP(w, r)
	})
}

// hasten sets until when a request may be read and answered; the zero time is for
// ever.
func hasten(w http.ResponseWriter, until time.Time) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(until)
	_ = c.SetWriteDeadline(until)
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // who asked is gone, else
}

// guard lets requests with a token pass.
func (s *server) guard(next func(http.ResponseWriter, *http.Request, Token)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		secret, ok := bearer(r)
		t, err := s.keys.find(secret)
		switch {
		case err != nil && !errors.Is(err, ErrNoToken):
			s.log.Error("tokens not read", "error", err)
			s.refuse(w, http.StatusServiceUnavailable, rpc.Forbidden, "the server cannot read its tokens")
		case !ok:
			w.Header().Set("Connection", "close") // what else it sends is not read
			w.Header().Set("WWW-Authenticate", `Bearer realm="cambium"`)
			s.refuse(w, http.StatusUnauthorized, rpc.Forbidden, "a token is needed: Authorization: Bearer TOKEN")
		case err != nil:
			s.log.Info("unknown token", "from", r.RemoteAddr)
			w.Header().Set("Connection", "close")
			w.Header().Set("WWW-Authenticate", `Bearer realm="cambium", error="invalid_token"`)
			s.refuse(w, http.StatusUnauthorized, rpc.Forbidden, "the token is not known here")
		case !knows(r.Context()):
			w.Header().Set("Connection", "close")
			w.Header().Set("Retry-After", "1")
			s.refuse(w, http.StatusServiceUnavailable, rpc.TooMuch, "too many connections; try again later")
		default:
			hasten(w, time.Time{})
			next(w, r, t)
		}
	}
}

// bearer returns the token that a request shows.
func bearer(r *http.Request) (secret string, ok bool) {
	kind, secret, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	secret = strings.TrimSpace(secret)
	return secret, ok && strings.EqualFold(kind, "Bearer") && secret != ""
}

// refuse answers a request of which nothing is done.
func (s *server) refuse(w http.ResponseWriter, status, code int, text string) {
	reason := map[int]string{
		http.StatusUnauthorized: "token", http.StatusRequestEntityTooLarge: "body", http.StatusBadRequest: "body",
		http.StatusNotFound: "connection", http.StatusServiceUnavailable: "unavailable",
	}[status]
	if reason != "" {
		s.metrics.refuse(reason)
	}
	s.answer(w, status, rpc.Refusal(code, text))
}

// answer writes a message as the answer to a request.
func (s *server) answer(w http.ResponseWriter, status int, message []byte) {
	if slow := s.o.Limits.Slow; slow > 0 {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(slow)) // of TCP: it has them
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(message)))
	w.WriteHeader(status)
	n, err := w.Write(message)
	s.metrics.sent.Add(n)
	if err != nil {
		s.log.Info("answer not sent", "error", err)
	}
}

// serveRPC does one message or batch.
func (s *server) serveRPC(w http.ResponseWriter, r *http.Request, t Token) {
	defer s.under.Add(-1)
	if n := s.under.Add(1); s.o.Limits.Requests >= 0 && n > int64(s.o.Limits.Requests) {
		w.Header().Set("Retry-After", "1")
		s.refuse(w, http.StatusServiceUnavailable, rpc.TooMuch, "too many messages are under way; try again later")
		return
	}
	body, ok := s.body(w, r)
	if !ok {
		return
	}
	if !s.afford(w, t, body) {
		return
	}
	c, err := s.find(r.Header.Get(header), t)
	if err != nil {
		s.refuseClient(w, err)
		return
	}
	answer, err := c.conn.Do(r.Context(), body)
	gone := err != nil && r.Context().Err() != nil
	stays := s.leave(c, gone)
	switch {
	case gone:
		s.log.Info("client gone before the answer", "token", t.Name)
		return
	case err != nil:
		s.refuseClient(w, errNoClient)
		return
	}
	if stays {
		w.Header().Set(header, c.id)
		w.Header().Set(eventHeader, strconv.FormatInt(c.feed.newest(), 10))
	}
	if answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	s.answer(w, status(answer), answer)
}

// body reads the message of a request.
func (s *server) body(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if slow := s.o.Limits.Slow; slow > 0 {
		deadline := http.NewResponseController(w)
		_ = deadline.SetReadDeadline(time.Now().Add(slow))           // of TCP: it has them
		defer func() { _ = deadline.SetReadDeadline(time.Time{}) }() // so that a client who goes is noticed
	}
	from := r.Body
	if most := s.o.Limits.Body; most > 0 {
		from = http.MaxBytesReader(w, r.Body, most)
	}
	body, err := io.ReadAll(from)
	s.metrics.received.Add(len(body))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		s.refuse(w, http.StatusRequestEntityTooLarge, rpc.Invalid, fmt.Sprintf("a message of more than %d bytes", large.Limit))
	case err != nil:
		s.refuse(w, http.StatusBadRequest, rpc.Invalid, "the message did not come whole")
	default:
		return body, true
	}
	return nil, false
}

// afford counts the messages of a request.
func (s *server) afford(w http.ResponseWriter, t Token, body []byte) bool {
	n := 1
	if jsonedit.Kind(body) == '[' {
		n = min(max(1, jsonedit.Len(body)), batchMost)
	}
	wait, ok := s.bucketOf(t).take(n)
	if !ok {
		s.metrics.refuse("rate")
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		s.refuse(w, http.StatusTooManyRequests, rpc.TooMuch, fmt.Sprintf("too many messages; try again in %v", wait.Round(time.Millisecond)))
	}
	return ok
}

// refuseClient answers a request for which there is no connection.
func (s *server) refuseClient(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errNoClient):
		s.refuse(w, http.StatusNotFound, rpc.NotOpen, err.Error())
	default:
		w.Header().Set("Retry-After", "1")
		s.refuse(w, http.StatusServiceUnavailable, rpc.TooMuch, err.Error())
	}
}

// status is 403 for a call that the token's scope does not cover, as HTTP has
// it, and 200 for all else: what became of a call is in its answer.
func status(answer []byte) int {
	if len(answer) < 1<<10 && jsonedit.Kind(answer) == '{' {
		code, _ := jsonedit.Path(answer, "error", "code")
		_, scope := jsonedit.Path(answer, "error", "data", "scope")
		if scope && string(code) == strconv.Itoa(rpc.Forbidden) {
			return http.StatusForbidden
		}
	}
	return http.StatusOK
}

// serveEnd ends a connection: its sessions are saved and closed.
func (s *server) serveEnd(w http.ResponseWriter, r *http.Request, t Token) {
	id := r.Header.Get(header)
	if id == "" {
		s.refuse(w, http.StatusBadRequest, rpc.Invalid, "the header "+header+" says which connection to end")
		return
	}
	c, err := s.find(id, t)
	if err != nil {
		s.refuseClient(w, err)
		return
	}
	err = s.finish(c, endClosed)
	s.leave(c, true)
	switch {
	case unsaved(err):
		s.answer(w, http.StatusInternalServerError, rpc.Refusal(rpc.Unsaved, err.Error()))
	case err != nil && !errors.Is(err, context.Canceled):
		s.answer(w, http.StatusInternalServerError, rpc.Refusal(rpc.Unsaved, "the sessions are not saved yet: "+err.Error()))
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}
