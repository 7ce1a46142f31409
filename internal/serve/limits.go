package serve

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// Limits bound what clients may take. A zero field means the usual value, a
// negative one no limit.
type Limits struct {
	// Body is how long a message or a batch may be, in bytes: 64 MiB.
	Body int64
	// Rate is how many messages a second a token may send over HTTP, and a
	// connection on the socket: 1000. As many may come at once.
	Rate float64
	// Sessions is how many sessions may be open in all: 1000; EachSessions in
	// one connection: 100.
	Sessions, EachSessions int
	// Connections is how many connections there may be, besides strangers: 1000.
	Connections int
	// Strangers is how many connections there may be, over TCP and as many on the
	// socket, that have shown no token yet, or sent no message: 128. Of more, the
	// oldest is ended.
	Strangers int
	// Requests is how many messages over HTTP may be under way at once, each of
	// which is held in memory: 256.
	Requests int
	// Idle is after which time a connection over HTTP that nobody uses is
	// ended, and one on the socket that reads nothing: 10 minutes.
	Idle time.Duration
	// Grace is how long calls under way may go on when the server stops: 30 s.
	Grace time.Duration
	// Slow is how long a client over HTTP may take to send a message, and to
	// read an answer: 2 minutes. Its headers have 10 s.
	Slow time.Duration
}

// batchMost is how many messages a batch over HTTP may have.
const batchMost = 1000

func (l *Limits) defaults() {
	usual(&l.Body, 64<<20)
	usual(&l.Rate, 1000)
	usual(&l.Sessions, 1000)
	usual(&l.EachSessions, 100)
	usual(&l.Connections, 1000)
	usual(&l.Strangers, 128)
	usual(&l.Requests, 256)
	usual(&l.Idle, 10*time.Minute)
	usual(&l.Grace, 30*time.Second)
	usual(&l.Slow, 2*time.Minute)
}

func usual[T int | int64 | float64 | time.Duration](v *T, is T) {
	if *v == 0 {
		*v = is
	}
}

// A bucket counts messages: it fills with the rate, up to one second's worth. It
// is safe for concurrent use.
type bucket struct {
	rate float64 // a second; less than 0: never empty
	now  func() time.Time

	mu    sync.Mutex
	level float64   // guarded by mu; below 0 after a large batch
	at    time.Time // guarded by mu: when level was so
}

// take takes n messages, all or none, and returns how long to wait if there are
// none. More than a second's worth may be taken from a full bucket, to be made up
// for by a longer wait.
func (b *bucket) take(n int) (wait time.Duration, ok bool) {
	if b.rate < 0 {
		return 0, true
	}
	most := math.Max(b.rate, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if b.at.IsZero() {
		b.level = most
	} else if past := now.Sub(b.at).Seconds(); past > 0 {
		b.level = math.Min(most, b.level+past*b.rate)
	}
	b.at = now
	need := math.Min(float64(n), most)
	if b.level < need {
		return time.Duration((need - b.level) / b.rate * float64(time.Second)), false
	}
	b.level -= float64(n)
	return 0, true
}

// full reports whether nothing would be forgotten with the bucket.
func (b *bucket) full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rate < 0 || b.level+b.now().Sub(b.at).Seconds()*b.rate >= math.Max(b.rate, 1)
}

// A room counts open sessions. It is safe for concurrent use.
type room struct {
	each, all int // less than 0: any number

	mu   sync.Mutex
	open int // guarded by mu
}

// held returns how many are open.
func (r *room) held() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open
}

// share is the part of one connection: it admits sessions until the connection
// or the room has enough.
func (r *room) share() func() (release func(), err error) {
	mine := 0 // guarded by r.mu
	return func() (func(), error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		switch {
		case r.each >= 0 && mine >= r.each:
			return nil, fmt.Errorf("too many sessions are open in this connection: %d; close one", mine)
		case r.all >= 0 && r.open >= r.all:
			return nil, errors.New("too many sessions are open on this server; try again later")
		}
		mine++
		r.open++
		return func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			mine--
			r.open--
		}, nil
	}
}
