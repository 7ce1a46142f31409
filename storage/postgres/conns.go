package postgres

import (
	"context"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// conns are the connections of a store. Calls get one in the order in which they
// come, and nobody waits for a connection to be made while others become free: to
// make one takes ten times as long as a statement, and the pool has everyone who
// finds none free wait for one of his own. They are made one at a time.
type conns struct {
	pool  *pgxpool.Pool
	most  int32
	limit time.Duration // how long making one may take
	begin func(func()) bool

	mu     sync.Mutex
	out    int        // guarded by mu: connections that calls have
	taking int        // guarded by mu: calls that are getting one that is free
	queue  []*waiting // guarded by mu: the first one first
	making bool       // guarded by mu: one is being made for the queue
}

// waiting is a call that waits for a connection. It gets that or an error.
type waiting struct{ got chan got }

type got struct {
	conn lent
	err  error
}

// maxLent is how long a connection goes from call to call without the pool seeing
// it, which looks after its age.
const maxLent = time.Minute

// A lent connection is one that a call has.
type lent struct {
	*pgxpool.Conn
	since time.Time // when the pool gave it
}

// lentKey is where the context of a call has its connection.
type lentKey struct{}

// with runs f with a connection, which the calls of conns take from its context.
func (c *conns) with(ctx context.Context, f func(context.Context) error) error {
	h, err := c.take(ctx)
	if err != nil {
		return err
	}
	defer func() { c.give(h) }()
	return f(context.WithValue(ctx, lentKey{}, h.Conn))
}

func (c *conns) take(ctx context.Context) (lent, error) {
	if err := ctx.Err(); err != nil {
		return lent{}, err
	}
	c.mu.Lock()
	if len(c.queue) == 0 && int(c.pool.Stat().IdleConns()) > c.taking {
		c.taking++
		c.mu.Unlock()
		conn, err := c.pool.Acquire(ctx)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.taking--; err == nil {
			c.out++
		}
		return lent{conn, time.Now()}, err
	}
	w := &waiting{got: make(chan got, 1)}
	c.queue = append(c.queue, w)
	c.makeLocked()
	c.mu.Unlock()
	select {
	case g := <-w.got:
		return g.conn, g.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	i := slices.Index(c.queue, w)
	if i >= 0 {
		c.queue = slices.Delete(c.queue, i, i+1)
	}
	c.mu.Unlock()
	if i < 0 { // it was given one meanwhile
		if g := <-w.got; g.err == nil {
			c.give(g.conn)
		}
	}
	return lent{}, ctx.Err()
}

// give hands a connection to who waits, or back to the pool.
func (c *conns) give(h lent) {
	pg := h.Conn.Conn().PgConn()
	usable := !pg.IsClosed() && !pg.IsBusy() && pg.TxStatus() == 'I' && time.Since(h.since) < maxLent
	c.mu.Lock()
	if usable && len(c.queue) > 0 {
		c.queue[0].got <- got{conn: h}
		c.queue = c.queue[1:]
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	h.Release()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.out--; len(c.queue) > 0 {
		c.makeLocked()
	}
}

// makeLocked has connections made for those who wait, unless that goes on.
func (c *conns) makeLocked() {
	if c.making {
		return
	}
	c.making = c.begin(c.make)
	if !c.making {
		c.failLocked(fs.ErrClosed)
	}
}

func (c *conns) failLocked(err error) {
	for _, w := range c.queue {
		w.got <- got{err: err}
	}
	c.queue = nil
}

// make gives connections to those who wait, until there are as many as there may
// be; then they get those that become free. If none can be made, and nobody has
// one, they get the error.
func (c *conns) make() {
	for again := true; again; {
		ctx, cancel := context.WithTimeout(context.Background(), c.limit)
		conn, err := c.pool.Acquire(ctx)
		cancel()
		c.mu.Lock()
		again = false
		switch {
		case err != nil && c.out == 0:
			c.failLocked(err)
		case err == nil && len(c.queue) > 0:
			c.queue[0].got <- got{conn: lent{conn, time.Now()}}
			c.queue = c.queue[1:]
			c.out++
			again = len(c.queue) > 0 && c.pool.Stat().TotalConns() < c.most
		case err == nil:
			defer conn.Release()
		}
		c.making = again
		c.mu.Unlock()
	}
}

// of is the connection of a call.
func of(ctx context.Context) *pgxpool.Conn {
	conn, _ := ctx.Value(lentKey{}).(*pgxpool.Conn)
	return conn
}

// Query is that of the connection of the call.
func (c *conns) Query(ctx context.Context, query string, args ...any) (pgx.Rows, error) {
	return c.rows(ctx, mostRows, query, args)
}

func (c *conns) rows(ctx context.Context, most int, query string, args []any) (*finite, error) {
	rows, err := of(ctx).Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return &finite{Rows: rows, ctx: ctx, left: most}, nil
}

// QueryRow is that of the connection of the call; more than one row is an error.
func (c *conns) QueryRow(ctx context.Context, query string, args ...any) pgx.Row {
	rows, err := c.rows(ctx, 1, query, args)
	return one{rows, err}
}

// Exec is that of the connection of the call; outside of one it takes its turn.
func (c *conns) Exec(ctx context.Context, query string, args ...any) (tag pgconn.CommandTag, err error) {
	if conn := of(ctx); conn != nil {
		return conn.Exec(ctx, query, args...)
	}
	err = c.with(ctx, func(ctx context.Context) (err error) {
		tag, err = of(ctx).Exec(ctx, query, args...)
		return err
	})
	return tag, err
}

// SendBatch is that of the connection of the call.
func (c *conns) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return of(ctx).SendBatch(ctx, b)
}

// Begin is that of the connection of the call.
func (c *conns) Begin(ctx context.Context) (pgx.Tx, error) { return of(ctx).Begin(ctx) }

// BeginTx is that of the connection of the call.
func (c *conns) BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error) {
	return of(ctx).BeginTx(ctx, o)
}

// Config is that of the pool.
func (c *conns) Config() *pgxpool.Config { return c.pool.Config() }

// Close ends all connections. Nobody has one, or gets one.
func (c *conns) Close() { c.pool.Close() }
