package serve

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/cambium-dev/cambium/internal/rpc"
	"github.com/cambium-dev/cambium/session"
)

// A client is a connection over HTTP.
type client struct {
	id    string
	token Token
	conn  *rpc.Conn
	feed  *feed

	// Guarded by the server's mu:
	users int       // requests and event streams under way
	used  time.Time // when the last of them ended
	known bool      // its id was told, or somebody may still ask for it

	failing bool // it was said that its sessions cannot be saved; used by sweep
}

// Why a feed ends.
const (
	endStopping = "stopping" // the server stops
	endClosed   = "closed"   // the client closed the connection
	endIdle     = "idle"     // nobody used it
	endToken    = "token"    // its token was taken away
	endSlow     = "slow"     // the reader did not keep up
)

var (
	errNoClient  = errors.New("there is no such connection: it was not used for too long, or never was; begin without " + header)
	errNoRoom    = errors.New("too many connections; close some, or try again later")
	errGoingDown = errors.New("the server stops")
)

// flushPatience is how long saving may take before a connection ends.
const flushPatience = 30 * time.Second

// find returns the connection with an id for a request with a token, or a new
// one for the id "". The caller gives it back with leave.
func (s *server) find(id string, t Token) (*client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping() {
		return nil, errGoingDown
	}
	if id != "" {
		c := s.clients[id]
		if c == nil || c.token.SHA256 != t.SHA256 {
			return nil, errNoClient
		}
		c.users++
		return c, nil
	}
	if most := s.o.Limits.Connections; most >= 0 && len(s.clients)+len(s.sockets) >= most {
		s.metrics.refuse("connections")
		return nil, errNoRoom
	}
	raw := make([]byte, 24)
	random := s.o.RPC.Random
	if random == nil {
		random = rand.Reader
	}
	if _, err := io.ReadFull(random, raw); err != nil {
		return nil, fmt.Errorf("make the id of a connection: %w", err)
	}
	c := &client{id: base64.RawURLEncoding.EncodeToString(raw), token: t, feed: newFeed(), users: 1}
	c.conn = rpc.Connect(s.calls, s.shown(rpc.Bounds{ReadOnly: t.Scope != Write}), c.feed.add)
	s.clients[c.id] = c
	return c, nil
}

// leave gives a connection back and reports whether it goes on. One in which
// nothing is open, and that nobody was told of, is ended at once; gone says that
// whoever asked may not know what became of it.
func (s *server) leave(c *client, gone bool) (stays bool) {
	s.mu.Lock()
	c.users--
	c.used = s.o.Now()
	if gone || c.conn.Handles() > 0 {
		c.known = true
	}
	end := !c.known && c.users == 0
	if end {
		delete(s.clients, c.id)
	}
	s.mu.Unlock()
	if end {
		c.feed.end(endClosed)
		s.lose(c.conn.Close(s.calls))
	}
	return !end
}

// keep says that the id of a connection is told.
func (s *server) keep(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.known = true
}

// sweep ends the connections that nobody used for a while, and those whose token
// was taken away, and forgets full buckets.
func (s *server) sweep(now time.Time) {
	type old struct {
		c   *client
		why string
	}
	var over []old
	s.mu.Lock()
	for _, c := range s.clients {
		switch idle := s.o.Limits.Idle; {
		case !s.keys.holds(c.token):
			over = append(over, old{c, endToken})
		case c.users == 0 && idle >= 0 && now.Sub(c.used) >= idle:
			over = append(over, old{c, endIdle})
		}
	}
	for key, b := range s.buckets {
		if b.full() {
			delete(s.buckets, key)
		}
	}
	s.mu.Unlock()
	for _, o := range over {
		if o.why == endToken {
			o.c.feed.end(endToken)
		}
		if err := s.finish(o.c, o.why); err != nil && !errors.Is(err, errBusy) && !o.c.failing {
			o.c.failing = true // told once; it is tried again
			s.log.Error("connection kept: sessions not saved", "token", o.c.token.Name, "error", err)
		}
	}
}

// errBusy says that somebody uses a connection.
var errBusy = errors.New("the connection is in use")

// finish saves the sessions of a connection and ends it. When they cannot be
// saved it stays, so that nothing is lost, and the error says so.
func (s *server) finish(c *client, why string) error {
	ctx, cancel := context.WithTimeout(s.calls, flushPatience)
	defer cancel()
	if err := c.conn.Flush(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	if why == endIdle && c.users > 0 {
		s.mu.Unlock()
		return errBusy
	}
	there := s.clients[c.id] == c
	delete(s.clients, c.id)
	s.mu.Unlock()
	if !there {
		return nil
	}
	c.feed.end(why)
	s.lose(c.conn.Close(s.calls))
	s.log.Info("connection ended", "token", c.token.Name, "why", why)
	return nil
}

// bucketOf returns what counts the messages of a token.
func (s *server) bucketOf(t Token) *bucket {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buckets[t.SHA256]
	if b == nil {
		b = &bucket{rate: s.o.Limits.Rate, now: s.o.Now}
		s.buckets[t.SHA256] = b
	}
	return b
}

// unsaved reports whether entries could not be saved.
func unsaved(err error) bool { return errors.Is(err, session.ErrUnsaved) }
