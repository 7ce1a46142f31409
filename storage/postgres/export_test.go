package postgres

import (
	"context"
	"net"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Dial connects as a store of a URL does, to a server that stands for every host.
func Dial(ctx context.Context, url, server string) error {
	c, err := config(url, &Options{})
	if err != nil {
		return err
	}
	cc := c.ConnConfig
	cc.LookupFunc = func(context.Context, string) ([]string, error) { return []string{"192.0.2.1"}, nil }
	cc.DialFunc = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", server)
	}
	conn, err := pgx.ConnectConfig(ctx, cc)
	if err == nil {
		return conn.Close(ctx)
	}
	pool, never := pgxpool.NewWithConfig(ctx, c)
	if never != nil {
		return never
	}
	defer pool.Close()
	return (&pgStore{host: hostOf(&cc.Config), pool: &conns{pool: pool}}).explain(err)
}
