package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/lease"
	"github.com/jackc/pgx/v5/pgconn"
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
	ErrFull = errors.New("the server's disk is full")
	// ErrSchema: the tables are not of this version of the package. Upgrade
	// them, or the program.
	ErrSchema = errors.New("tables of another version")
	// ErrForeign: the schema holds tables that are not a store. Choose another
	// schema or database; nothing was written.
	ErrForeign = errors.New("somebody else's tables")
	// ErrReadOnly: the server takes no writes, as a standby does. Use the
	// primary.
	ErrReadOnly = errors.New("the server is read-only")
)

// A fate is what an error says of the statement that it came from.
type fate int

const (
	final   fate = iota // it did not take place, and will not
	again               // it did not take place; it may be sent again at once
	away                // it did not take place: the server was not reached
	unknown             // it may have taken place
)

// fateOf tells what an error means. several says that the URL names several
// servers, of which another may take writes.
func fateOf(err error, several bool) fate {
	var pg *pgconn.PgError
	var connect *pgconn.ConnectError
	isPg, isConnect := errors.As(err, &pg), errors.As(err, &connect)
	switch {
	case isConnect && (isPg && refuses(pg) || untrusted(err)):
		return final
	case isConnect:
		return away
	case isPg && misused(pg):
		return final
	case isPg && (pg.Code == "40001" || pg.Code == "40P01"): // serialization, deadlock
		return again
	case isPg && (strings.HasPrefix(pg.Code, "57P") || strings.HasPrefix(pg.Code, "08")): // shut down, crashed
		return unknown
	case isPg && pg.Code == "25006" && several:
		return away
	case isPg || errors.Is(err, fs.ErrClosed) || errors.Is(err, fs.ErrExist) || errors.Is(err, errTooMuch):
		return final
	}
	// The driver calls some of these safe to try again. It says so, too, of a
	// commit whose connection was lost after it was sent (pgx 5.12.0).
	return unknown
}

// refuses reports whether a server, or a pooler before it, says that connecting
// again is of no use.
func refuses(pg *pgconn.PgError) bool {
	return strings.HasPrefix(pg.Code, "28") || pg.Code == "3D000" || strings.HasPrefix(pg.Code, "42") || misused(pg)
}

// misused reports whether a pooler refuses what the URL asks for. PgBouncer 1.18
// has one code for that and for a server that is not there.
func misused(pg *pgconn.PgError) bool {
	for _, says := range []string{
		"unsupported startup parameter", "no such database", `database "`, "no such user", unlike, "transaction blocks not allowed",
	} {
		if pg.Code == "08P01" && strings.HasPrefix(pg.Message, says) {
			return true
		}
	}
	return false
}

// unlike is what PgBouncer says of another password than its own.
const unlike = "SASL authentication failed"

// explain makes one clear line of what the driver says. An error that is not the
// driver's comes back as it is.
func (s *pgStore) explain(err error) error {
	var pg *pgconn.PgError
	var connect *pgconn.ConnectError
	isPg, isConnect := errors.As(err, &pg), errors.As(err, &connect)
	switch {
	case err == nil:
		return nil
	case isPg:
		return s.explainCode(pg)
	case untrusted(err):
		return s.explainTLS(err)
	case isConnect:
		return fmt.Errorf("%w: %s: %s", ErrAway, s.where(), plainly(connect.Unwrap()))
	case errors.Is(err, context.Canceled), errors.Is(err, fs.ErrClosed):
		return err
	case fateOf(err, false) == unknown && isDriver(err):
		return fmt.Errorf("%w: %w", ErrAway, lease.Told(s.where(), err))
	}
	return lease.Told(s.where(), err)
}

// isDriver reports whether an error is one of a connection.
func isDriver(err error) bool {
	var n net.Error
	return errors.As(err, &n) || errors.Is(err, pgconn.ErrConnClosed) || strings.Contains(err.Error(), "EOF")
}

func (s *pgStore) explainCode(pg *pgconn.PgError) error {
	what := fmt.Errorf("%s (%s)", lease.OneLine(pg.Message), pg.Code)
	switch {
	case onlyTLS(pg):
		return fmt.Errorf("%w: %s: it takes no connection without TLS from user %q: write sslmode=verify-full", ErrRefused, s.where(), s.user)
	case pg.Code == "28P01" || pg.Code == "28000" || misused(pg) && pg.Message == unlike:
		return fmt.Errorf("%w: %s: wrong password, or user %q may not connect", ErrRefused, s.where(), s.user)
	case pg.Code == "3D000":
		return fmt.Errorf("%w: %s: there is no database %q", ErrRefused, s.where(), s.database)
	case pg.Code == "42501":
		return fmt.Errorf("%w: %s: user %q: %w", ErrDenied, s.where(), s.user, what)
	case pg.Code == "25006":
		return fmt.Errorf("%w: %s", ErrReadOnly, s.where())
	case pg.Code == "53100":
		return fmt.Errorf("%w: %s: %w", ErrFull, s.where(), what)
	case pg.Code == "42704" && strings.HasPrefix(pg.Message, "unrecognized configuration parameter"):
		return fmt.Errorf("%s in the URL: it is none of the server's, nor of %s", lease.OneLine(pg.Message), ownParameters)
	case misused(pg) && strings.HasPrefix(pg.Message, "transaction"):
		return fmt.Errorf("%s: a pooler there gives a connection for a statement only: want pool_mode = transaction (%w)", s.where(), what)
	case misused(pg):
	case pg.Code == "53300" || strings.HasPrefix(pg.Code, "57P") || strings.HasPrefix(pg.Code, "08"):
		return fmt.Errorf("%w: %s: %w", ErrAway, s.where(), what)
	case pg.Code == "42P01" || pg.Code == "3F000" || pg.Code == "42703":
		return fmt.Errorf("%w: %s: schema %q: %w", ErrSchema, s.where(), s.opt.Schema, what)
	}
	return fmt.Errorf("%s: %w", s.where(), what)
}

// plainly is why a server could not be reached: the innermost cause of each
// address, without the driver's words.
func plainly(err error) string {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var all []string
		for _, e := range many.Unwrap() {
			if text := plainly(e); len(all) == 0 || all[len(all)-1] != text {
				all = append(all, text)
			}
		}
		return strings.Join(all, "; ")
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return lease.OneLine(op.Err.Error())
	}
	var lookup *net.DNSError
	if errors.As(err, &lookup) {
		return lease.OneLine(lookup.Error())
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return lease.OneLine(err.Error())
}

// patient begins a call. After one that waited in vain it does not wait.
func (s *pgStore) patient() *lease.Patience {
	return lease.NewPatience(&s.away, s.done, s.opt.Patience, 10*time.Millisecond, 500*time.Millisecond)
}

// do runs what may be run twice, until it has an answer.
func (s *pgStore) do(ctx context.Context, f func(ctx context.Context) error) error {
	p := s.patient()
	for {
		err := s.once(ctx, 0, f)
		if err == nil {
			return nil
		}
		if fateOf(err, s.several) == final || ctx.Err() != nil || !p.Wait(ctx) {
			return s.settle(ctx, err)
		}
	}
}

// settle is the error of a call in the caller's words: that of its context if
// that has ended.
func (s *pgStore) settle(ctx context.Context, err error) error {
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	return s.explain(err)
}

// once runs f once, in the time that an answer for so many bytes may take.
func (s *pgStore) once(ctx context.Context, size int64, f func(ctx context.Context) error) error {
	if s.closed() {
		return fs.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.opt.Timeout+time.Duration(size>>20)*time.Second)
	defer cancel()
	err := s.pool.with(ctx, f)
	if err == nil {
		s.away.Store(false)
	}
	return err
}
