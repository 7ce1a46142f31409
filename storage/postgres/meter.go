package postgres

import (
	"context"
	"errors"
	"net"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// mostAnswer is how much a server may say to one statement, in bytes: a line of
	// the largest size that it takes, and what stands around it.
	mostAnswer = 1<<30 + 64<<20
	// mostRows is how many rows an answer may have. No statement asks for as many.
	mostRows = 1 << 20
)

// errTooMuch is a server that answers without end.
var errTooMuch = errors.New("it answers more than was asked")

// metered is a connection whose server may say so much until it is asked again.
type metered struct {
	net.Conn
	left atomic.Int64
}

// meter is for pgconn.Config.AfterNetConnect.
func meter(_ context.Context, _ *pgconn.Config, c net.Conn) (net.Conn, error) {
	m := &metered{Conn: c}
	m.left.Store(mostAnswer)
	return m, nil
}

// Read reads, up to what is left.
func (m *metered) Read(p []byte) (int, error) {
	n, err := m.Conn.Read(p)
	if m.left.Add(-int64(n)) < 0 {
		return 0, errTooMuch
	}
	return n, err
}

// Write asks for more.
func (m *metered) Write(p []byte) (int, error) {
	m.left.Store(mostAnswer)
	return m.Conn.Write(p)
}

// finite are rows of which there may be so many.
type finite struct {
	pgx.Rows
	ctx  context.Context
	left int
	err  error
}

// Next moves to the next row. Of a server that does not end nothing more is read.
func (r *finite) Next() bool {
	if !r.Rows.Next() {
		return false
	}
	if r.left--; r.left >= 0 {
		return true
	}
	r.err = errTooMuch
	_ = r.Conn().Close(r.ctx) // else closing the rows reads them all
	r.Close()
	return false
}

// Err is why there are no more rows.
func (r *finite) Err() error {
	if r.err != nil {
		return r.err
	}
	return r.Rows.Err()
}

// one is a row, of which there is one.
type one struct {
	rows *finite
	err  error
}

// Scan reads the row.
func (r one) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	if err := r.rows.Scan(dest...); err != nil {
		return err
	}
	r.rows.Next() // there is none, or it is one too many
	return r.rows.Err()
}
