package jetstream

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/lease"
	"github.com/cambium-dev/cambium/storage"
	"github.com/go-json-experiment/json"
)

// operationHeader marks what ends a key of a bucket.
const operationHeader = "KV-Operation"

// leaseBucket is the key-value store of the leases. Its stream is KV_ and that.
func (s *natsStore) leaseBucket() string { return s.opt.Stream + "_LEASES" }

// heldLease is one holder's: a key that the server forgets when it is not written
// again in time.
type heldLease struct {
	*lease.Lease
	store *natsStore
	key   string
	who   holder
	seq   uint64 // of the key as it was written last; used by renew, then Release
}

// holder is how a holder is stored.
type holder struct {
	ID       string `json:"id"`
	Host     string `json:"host"`
	PID      int    `json:"pid"`
	Terminal string `json:"terminal"`
	// Since is zero in the first message of a lease whose beginning the server
	// says: it is that message's time.
	Since time.Time `json:"since,omitzero"`
	// Name is the log's, as it was when it was leased.
	Name string `json:"name,omitzero"`
}

// holderOf reads who holds a lease from its last message; false for what is none.
func holderOf(m *message) (h holder, ok bool) {
	if json.Unmarshal(m.data, &h) != nil {
		return h, false
	}
	if h.Since.IsZero() {
		h.Since = m.time
	}
	return h, true
}

func (h holder) is() storage.Holder {
	return storage.Holder{ID: h.ID, Host: h.Host, PID: h.PID, Terminal: h.Terminal, Since: h.Since}
}

// Lease says that who has the log open until it is released, or not renewed for
// Options.LeaseFor by the server's clock.
func (s *natsStore) Lease(ctx context.Context, name string, who storage.Holder) (storage.Lease, error) {
	return s.lease(ctx, name, who, false)
}

// TakeOver is Lease for the only holder: those who held the log before have
// lost their leases. They are told when they renew them.
func (s *natsStore) TakeOver(ctx context.Context, name string, who storage.Holder) (storage.Lease, error) {
	return s.lease(ctx, name, who, true)
}

func (s *natsStore) lease(ctx context.Context, name string, who storage.Holder, alone bool) (storage.Lease, error) {
	fail := func(err error) (storage.Lease, error) { return nil, fmt.Errorf("lease log %q: %w", name, err) }
	keys, err := s.leaseKeys(ctx, name)
	if err != nil {
		return fail(err)
	}
	h := holder{plainText(who.ID), plainText(who.Host), who.PID, plainText(who.Terminal), who.Since, plainText(name)}
	if alone {
		for _, key := range keys {
			if err := s.evict(ctx, key); err != nil {
				return fail(err)
			}
		}
	}
	l := &heldLease{
		store: s, key: fmt.Sprintf("$KV.%s.%s.%x", s.leaseBucket(), keys[0], newToken()), who: h,
	}
	// The key is new: to write it twice does no harm.
	err = s.again(ctx, func(ctx context.Context) error {
		var err error
		l.seq, err = l.write(ctx, -1)
		return err
	})
	if err != nil {
		return fail(s.settle(ctx, err))
	}
	l.Lease = lease.Keep(s.life, s.begin, s.opt.LeaseFor, l.renew)
	return l, nil
}

// plainText is text that can be stored.
func plainText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// write writes the key, which then lasts anew.
func (l *heldLease) write(ctx context.Context, expect int64) (seq uint64, err error) {
	body, err := json.Marshal(l.who)
	if err != nil {
		return 0, err
	}
	m := draft(l.key, "lease", body, expect)
	m.Header[ttlHeader] = []string{strconv.Itoa(int((l.store.opt.LeaseFor+time.Second-1)/time.Second)) + "s"}
	return l.store.publish(ctx, m)
}

// leaseKeys returns the keys that the holders of a log stand under: that of the
// log first, which stays when it is renamed, then that of the name.
func (s *natsStore) leaseKeys(ctx context.Context, name string) ([]string, error) {
	p, err := s.placeOf(name)
	if err != nil {
		return nil, err
	}
	n, err := s.naming(ctx, p)
	if err != nil {
		return nil, err
	}
	keys := []string{"name." + strings.ReplaceAll(tailOf(p.subject, s.names), ".", "/")}
	if n.has {
		keys = append([]string{fmt.Sprintf("log.%016x", n.id)}, keys...)
	}
	return keys, nil
}

// held returns the messages of the leases under a key, one for each: a lease that is
// renewed meanwhile comes again, with a later one.
func (s *natsStore) held(ctx context.Context, key string) (list []*message, err error) {
	for from := uint64(1); ; {
		var m *message
		err := s.do(ctx, func(ctx context.Context) error {
			m, err = s.getFrom(ctx, "KV_"+s.leaseBucket(), query{Seq: from, Next: "$KV." + s.leaseBucket() + "." + key + ".*"})
			return err
		})
		if err != nil || m == nil {
			return list, err
		}
		list = slices.DeleteFunc(list, func(old *message) bool { return old.subject == m.subject })
		if !m.deleted {
			list = append(list, m)
		}
		from = m.seq + 1
	}
}

// evict ends all leases under a key.
func (s *natsStore) evict(ctx context.Context, key string) error {
	list, err := s.held(ctx, key)
	for _, m := range list {
		if err := s.forget(ctx, m.subject, m.seq); err != nil {
			return err
		}
	}
	return err
}

// forget ends a lease, if it is as it was last written.
func (s *natsStore) forget(ctx context.Context, key string, seq uint64) error {
	err := s.again(ctx, func(ctx context.Context) error {
		m := draft(key, "lease", nil, int64(seq))
		m.Header[operationHeader] = []string{"PURGE"}
		m.Header["Nats-Rollup"] = []string{"sub"}
		m.Header[ttlHeader] = []string{"60s"}
		_, err := s.publish(ctx, m)
		return err
	})
	if conflict(err) {
		return nil // renewed, gone, or done by a try before
	}
	return s.settle(ctx, err)
}

// renew writes the key again, if it is there still. A renewal that got no answer
// is looked for first.
func (l *heldLease) renew(ctx context.Context) (held bool, err error) {
	if l.who.Since.IsZero() { // what is written now has a later time
		m, err := l.store.getFrom(ctx, "KV_"+l.store.leaseBucket(), query{Last: l.key})
		if err != nil {
			return false, err
		}
		if m != nil && !m.deleted && m.seq == l.seq {
			l.who.Since = m.time
		}
	}
	seq, err := l.write(ctx, int64(l.seq))
	if conflict(err) {
		m, gerr := l.store.getFrom(ctx, "KV_"+l.store.leaseBucket(), query{Last: l.key})
		switch {
		case gerr != nil:
			return false, gerr
		case m == nil || m.deleted:
			return false, nil
		case m.seq <= l.seq:
			return false, errStale // nobody has changed it: who refuses knows less
		}
		seq, err = m.seq, nil // nobody else writes this key but to end it
	}
	if err != nil {
		return false, err
	}
	l.seq = seq
	return true, nil
}

// Release ends the lease.
func (l *heldLease) Release(ctx context.Context) error {
	l.End()
	m, err := l.store.lastLease(ctx, l.key)
	if err == nil && m != nil && !m.deleted {
		err = l.store.forget(ctx, l.key, m.seq)
	}
	if err != nil {
		return fmt.Errorf("release lease: %w", err)
	}
	return nil
}

func (s *natsStore) lastLease(ctx context.Context, key string) (m *message, err error) {
	err = s.do(ctx, func(ctx context.Context) error {
		m, err = s.getFrom(ctx, "KV_"+s.leaseBucket(), query{Last: key})
		return err
	})
	return m, err
}

// Holders returns who has the log open.
func (s *natsStore) Holders(ctx context.Context, name string) (list []storage.Holder, err error) {
	keys, err := s.leaseKeys(ctx, name)
	for _, key := range keys {
		var messages []*message
		if messages, err = s.held(ctx, key); err != nil {
			break
		}
		for _, m := range messages {
			if h, ok := holderOf(m); ok {
				list = append(list, h.is())
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read holders of %q: %w", name, err)
	}
	slices.SortStableFunc(list, func(a, b storage.Holder) int { return a.Since.Compare(b.Since) })
	return list, nil
}

// Survey returns who has which log open, by the names that the logs had then.
func (s *natsStore) Survey(ctx context.Context) (map[string][]storage.Holder, error) {
	all := map[string][]storage.Holder{}
	for _, key := range []string{"log.*", "name.*"} {
		messages, err := s.held(ctx, key)
		if err != nil {
			return nil, fmt.Errorf("read holders: %w", err)
		}
		for _, m := range messages {
			if h, ok := holderOf(m); ok && h.Name != "" {
				all[h.Name] = append(all[h.Name], h.is())
			}
		}
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b storage.Holder) int { return a.Since.Compare(b.Since) })
	}
	return all, nil
}
