package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/lease"
	"github.com/cambium-dev/cambium/storage"
)

// heldLease is one holder's, kept alive in the background.
type heldLease struct {
	*lease.Lease
	store *pgStore
	nonce int64
}

// Lease says that who has the log open until it is released, or not renewed for
// Options.LeaseFor by the server's clock.
func (s *pgStore) Lease(ctx context.Context, name string, who storage.Holder) (storage.Lease, error) {
	return s.lease(ctx, name, who, false)
}

// TakeOver is Lease for the only holder: those who held the log before have
// lost their leases. They are told when they renew them.
func (s *pgStore) TakeOver(ctx context.Context, name string, who storage.Holder) (storage.Lease, error) {
	return s.lease(ctx, name, who, true)
}

func (s *pgStore) lease(ctx context.Context, name string, who storage.Holder, alone bool) (storage.Lease, error) {
	p, err := placeOf(name)
	if err != nil {
		return nil, fmt.Errorf("lease log: %w", err)
	}
	l := &heldLease{store: s, nonce: newToken()}
	var since *time.Time // the server's clock says it
	if !who.Since.IsZero() {
		since = &who.Since
	}
	err = s.do(ctx, func(ctx context.Context) error {
		_, err := s.pool.Exec(ctx, s.sql(`with d as (
				delete from @.leases where name = $2 and nonce <> $1 and ($9 or expires <= clock_timestamp())
			) insert into @.leases (nonce, name, holder, host, pid, terminal, since, expires)
			values ($1, $2, $3, $4, $5, $6, coalesce($7, clock_timestamp()), clock_timestamp() + $8)
			on conflict (nonce) do update set expires = excluded.expires`),
			l.nonce, p.name(), plain(who.ID), plain(who.Host), who.PID, plain(who.Terminal), since, s.opt.LeaseFor, alone)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("lease log %q: %w", name, err)
	}
	l.Lease = lease.Keep(s.life, s.begin, s.opt.LeaseFor, l.renew)
	return l, nil
}

// plain makes a text of what a row can hold.
func plain(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
}

// renew reports whether the lease was still there.
func (l *heldLease) renew(ctx context.Context) (bool, error) {
	tag, err := l.store.pool.Exec(ctx, l.store.sql(`update @.leases set expires = clock_timestamp() + $2
		where nonce = $1 and expires > clock_timestamp()`), l.nonce, l.store.opt.LeaseFor)
	return tag.RowsAffected() > 0, err
}

// Release ends the lease.
func (l *heldLease) Release(ctx context.Context) error {
	l.End()
	err := l.store.do(ctx, func(ctx context.Context) error {
		_, err := l.store.pool.Exec(ctx, l.store.sql(`delete from @.leases where nonce = $1`), l.nonce)
		return err
	})
	if err != nil {
		return fmt.Errorf("release lease: %w", err)
	}
	return nil
}

// Holders returns who has the log open.
func (s *pgStore) Holders(ctx context.Context, name string) ([]storage.Holder, error) {
	p, err := placeOf(name)
	if err != nil {
		return nil, fmt.Errorf("read holders: %w", err)
	}
	all, err := s.holders(ctx, "name = $1", p.name())
	if err != nil {
		return nil, fmt.Errorf("read holders of %q: %w", name, err)
	}
	return all[p.name()], nil
}

// Survey returns who has which log open.
func (s *pgStore) Survey(ctx context.Context) (map[string][]storage.Holder, error) {
	all, err := s.holders(ctx, "true")
	if err != nil {
		return nil, fmt.Errorf("read holders: %w", err)
	}
	return all, nil
}

func (s *pgStore) holders(ctx context.Context, where string, args ...any) (all map[string][]storage.Holder, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		all = map[string][]storage.Holder{}
		rows, err := s.pool.Query(ctx, s.sql(`select name, holder, host, pid, terminal, since from @.leases
			where `+where+` and expires > clock_timestamp() order by since, holder`), args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			var h storage.Holder
			if err := rows.Scan(&name, &h.ID, &h.Host, &h.PID, &h.Terminal, &h.Since); err != nil {
				return err
			}
			all[name] = append(all[name], h)
		}
		return rows.Err()
	})
	return all, err
}
