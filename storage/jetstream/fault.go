package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/cambium-dev/cambium/internal/lease"
	"github.com/nats-io/nats.go"
)

// What goes wrong with a server. Each error of this package that means one of
// these wraps it; no error text holds a password.
var (
	// ErrAway: the server does not answer. Try again later; what was appended
	// and not acknowledged is looked for then.
	ErrAway = errors.New("the server does not answer")
	// ErrRefused: the server does not let this user in, or not do this. Check
	// the user, the password and what the user may do.
	ErrRefused = errors.New("the server refuses")
	// ErrDenied: the server let this user in, who may not do this. It is ErrRefused.
	ErrDenied = fmt.Errorf("%w", ErrRefused)
	// ErrFull: the server has no room. Make some there.
	ErrFull = errors.New("the server's storage is full")
	// ErrNoJetStream: the server has no JetStream, or not for this user, or is
	// older than 2.12. Enable it, or choose another server.
	ErrNoJetStream = errors.New("the server keeps nothing")
	// ErrWeak: what is kept there is kept less safely than was asked for.
	// Change the stream or the server, or ask for less.
	ErrWeak = errors.New("less than was asked for")
	// ErrForeign: the stream is not a store's. Choose another one; nothing was
	// written.
	ErrForeign = errors.New("somebody else's stream")
)

// apiError is what JetStream answers in the place of a result.
type apiError struct {
	Code    int    `json:"code"`
	ErrCode int    `json:"err_code"`
	Text    string `json:"description"`
}

// Error says what the server said.
func (e *apiError) Error() string { return fmt.Sprintf("%s (%d)", lease.OneLine(e.Text), e.ErrCode) }

// Codes of JetStream.
const (
	codeNotFound  = 10037 // no message found
	codeWrongLast = 10071
	codeWrong     = 10164
	codeNoStream  = 10059
	codeNotHere   = 10009 // not the leader
	codeAway      = 10008 // temporarily unavailable
	codeOff       = 10076
	codeNoAccount = 10039
	codeResources = 10023
	codeAccount   = 10002
	codeStorage   = 10047
	codeStore     = 10077
	codeNoPeers   = 10005
	codeOffline   = 10118
	codeReplicas  = 10074
	codeBatch     = 10176 // atomic publish batch is incomplete
	codeBatches   = 10210 // too many of them
	codeNameInUse = 10058
	codeOverlap   = 10065
)

func isCode(err error, codes ...int) bool {
	var e *apiError
	if !errors.As(err, &e) {
		return false
	}
	for _, code := range codes {
		if e.ErrCode == code {
			return true
		}
	}
	return false
}

// isFull reports whether a server refuses for want of room.
func isFull(err error) bool {
	return isCode(err, codeResources, codeAccount, codeStorage, codeStore)
}

// conflict reports whether a publication was refused because of its expected
// sequence.
func conflict(err error) bool { return isCode(err, codeWrongLast, codeWrong) }

// A fate is what an error says of the publication that it came from.
type fate int

const (
	final   fate = iota // it did not take place, and will not
	away                // it did not take place; it may be sent again
	unknown             // it may have taken place
)

func fateOf(err error) fate {
	switch {
	case err == nil, errors.Is(err, ErrAway): // waited for already
		return final
	case errors.Is(err, errStale), isCode(err, codeNotHere, codeAway, codeOffline, codeBatch, codeBatches):
		return away
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, nats.ErrReconnectBufExceeded):
		return away
	case isCut(err):
		return unknown
	}
	return final
}

// isCut reports whether an error is that of a connection, or of an answer that
// did not come.
func isCut(err error) bool {
	for _, cut := range []error{
		nats.ErrTimeout, nats.ErrDisconnected, nats.ErrConnectionReconnecting, nats.ErrStaleConnection, nats.ErrNoServers,
		nats.ErrConnectionClosed, context.DeadlineExceeded, io.EOF,
	} {
		if errors.Is(err, cut) {
			return true
		}
	}
	return isNet(err)
}

// explain makes one clear line of what the client or the server says. An error
// that is neither's comes back as it is.
func (s *natsStore) explain(err error) error {
	var e *apiError
	if err == nil {
		return nil
	}
	if clear := s.explainTLS(err); clear != nil {
		return clear
	}
	switch {
	case errors.As(err, &e):
		return s.explainCode(e)
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked),
		errors.Is(err, nats.ErrAccountAuthExpired):
		return fmt.Errorf("%w: %s: wrong user or password", ErrRefused, s.where)
	case errors.Is(err, nats.ErrPermissionViolation):
		return fmt.Errorf("%w: %s: this user may not use stream %q", ErrDenied, s.where, s.opt.Stream)
	case errors.Is(err, nats.ErrNoResponders):
		if s.nc != nil && s.ready.Load() {
			return fmt.Errorf("%w: %s: stream %q has no leader", ErrAway, s.where, s.opt.Stream)
		}
		return fmt.Errorf("%w: %s: JetStream is not enabled", ErrNoJetStream, s.where)
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrReconnectBufExceeded), errors.Is(err, nats.ErrConnectionReconnecting),
		errors.Is(err, nats.ErrDisconnected), errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, nats.ErrStaleConnection):
		return fmt.Errorf("%w: %s: no connection", ErrAway, s.where)
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: %s: no answer in %s", ErrAway, s.where, s.opt.Timeout)
	case isNet(err):
		return fmt.Errorf("%w: %s: %s", ErrAway, s.where, plainly(err))
	case errors.Is(err, errStale):
		return fmt.Errorf("%w: %s: %w", ErrAway, s.where, err)
	}
	return lease.Told(s.where, err)
}

func isNet(err error) bool {
	var n net.Error
	return errors.As(err, &n)
}

// plainly is why a server could not be reached, without the client's words.
func plainly(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return lease.OneLine(op.Err.Error())
	}
	return lease.OneLine(err.Error())
}

func (s *natsStore) explainCode(e *apiError) error {
	switch e.ErrCode {
	case codeOff, codeNoAccount:
		return fmt.Errorf("%w: %s: %w", ErrNoJetStream, s.where, e)
	case codeNotHere, codeAway, codeOffline, codeBatch, codeBatches:
		return fmt.Errorf("%w: %s: %w", ErrAway, s.where, e)
	case codeResources, codeAccount, codeStorage, codeStore:
		return fmt.Errorf("%w: %w", ErrFull, e)
	case codeNoPeers, codeReplicas:
		return fmt.Errorf("%w: %s: no %d servers for replicas: %w", ErrWeak, s.where, s.opt.Replicas, e)
	case codeNoStream:
		return fmt.Errorf("%w: there is no stream %q", ErrAway, s.opt.Stream)
	case codeOverlap:
		return fmt.Errorf("%w: another stream has the subjects of %q", ErrForeign, s.opt.Stream)
	}
	return fmt.Errorf("%s: %w", s.where, e)
}

// patient begins a call. After one that waited in vain it does not wait.
func (s *natsStore) patient() *lease.Patience {
	return lease.NewPatience(&s.away, s.done, s.opt.Patience, 5*time.Millisecond, 250*time.Millisecond)
}

// pause waits. It returns false if the context or the store ended.
func (s *natsStore) pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-s.done:
		return false
	case <-s.flooded:
		return false
	case <-timer.C:
		return true
	}
}

// do runs what may be run twice, until it has an answer.
func (s *natsStore) do(ctx context.Context, f func(ctx context.Context) error) error {
	p := s.patient()
	for {
		err := s.once(ctx, f)
		if err == nil {
			return nil
		}
		if fateOf(err) == final || ctx.Err() != nil || !p.Wait(ctx) {
			return s.settle(ctx, err)
		}
	}
}

// flaw returns how the server floods, nil if it does not: it is not asked again.
func (s *natsStore) flaw() error {
	select {
	case <-s.flooded:
		return s.flood
	default:
		return nil
	}
}

// settle is the error of a call in the caller's words: that of its context if
// that has ended.
func (s *natsStore) settle(ctx context.Context, err error) error {
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	if why := s.flaw(); err != nil && why != nil {
		return fmt.Errorf("%w: %s: %w", ErrAway, s.where, why)
	}
	if s.ready.Load() && (isCut(err) || errors.Is(err, nats.ErrNoResponders)) && s.nc.IsConnected() {
		// The server is there: what is it that does not answer?
		late := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout)
		why := s.timed(ctx, min(s.opt.Timeout, time.Second), s.account)
		switch {
		case isCode(why, codeOff, codeNoAccount) || errors.Is(why, nats.ErrNoResponders):
			return fmt.Errorf("%w: %s: it has shut JetStream down, as when its disk is full: make room there and start it again", ErrAway, s.where)
		case why == nil && late:
			// So it does once a write to its disk has failed.
			return fmt.Errorf("%w: %s: JetStream is there, but stream %q is silent, as when the disk is full: make room there and start the server again", ErrAway, s.where, s.opt.Stream)
		}
	}
	return s.explain(err)
}

// once runs f once, in the time that an answer may take.
func (s *natsStore) once(ctx context.Context, f func(ctx context.Context) error) error {
	err := s.timed(ctx, s.opt.Timeout, f)
	if err == nil {
		s.away.Store(false)
	}
	return err
}
