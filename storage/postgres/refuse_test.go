//go:build share

package postgres_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/pgtest"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/serverstatus"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/postgres"
)

// TestOpenRefused: what cannot be a store is one clear line without a password,
// and nothing is written to it.
func TestOpenRefused(t *testing.T) {
	schema := schemaOf(t)
	for _, sql := range []string{
		"create schema foreign_tables", "create table foreign_tables.heads (a int)",
		"create schema newer", "create table newer.cambium_version (id serial, version_id bigint, is_applied bool, tstamp timestamp)",
		"insert into newer.cambium_version (version_id, is_applied) values (0, true), (9999, true)",
		"create role weak login password 'weak word'", "create database bare",
	} {
		if err := shared.Exec("postgres", sql); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, sql := range []string{"drop schema foreign_tables, newer cascade", "drop database bare", "drop role weak"} {
			if err := shared.Exec("postgres", sql); err != nil {
				t.Error(err)
			}
		}
	})
	good := shared.URL("postgres")
	tests := []struct {
		name, url string
		is        error
		says      string
	}{
		{"unreachable", strings.Replace(good, "127.0.0.1:", "127.0.0.1:1", 1), nil, "cannot be read"},
		{"nobody listens", "postgres://u:" + "hidden@127.0.0.1:9/d", postgres.ErrAway, "127.0.0.1:9: connect: connection refused"},
		{"no such host, once", "postgres://u:hidden@nowhere.invalid/d", postgres.ErrAway, "no such host"},
		{"no such host", "postgres://u:hidden@nowhere.invalid/d", postgres.ErrAway, "nowhere.invalid"},
		{"wrong password", strings.Replace(good, "s3cret", "hidden", 1), postgres.ErrRefused, "wrong password"},
		{"no database", shared.URL("none"), postgres.ErrRefused, `no database "none"`},
		{"no right", strings.Replace(shared.URL("bare"), pgtest.User+":s3cret", "weak:weak", 1), postgres.ErrRefused, "permission denied"},
		{"somebody else's", good + "&schema=foreign_tables", postgres.ErrForeign, "foreign_tables"},
		{"newer", good + "&schema=newer", postgres.ErrSchema, "version 9999"},
		{"read only", good + "&default_transaction_read_only=on&schema=" + schema, postgres.ErrReadOnly, ""},
		{"bad schema", good + "&schema=a-b", nil, "want small letters"},
		{"bad port", "postgres://u:hidden@h:x/d", nil, "cannot be read"},
		{"bad option", good + "&sslmode=hidden", nil, "sslmode in the URL: want one of disable"},
		{"no answer to upgrade", good + "&upgrade=maybe", nil, "upgrade in the URL: want one of true, false"},
		{"no connections", good + "&pool_max_conns=0", nil, "pool_max_conns in the URL: want a number, 1 or more"},
		{"misspelt", good + "&shema=x", nil, "schema, upgrade, pool_max_conns"},
		{"@ in the password", "postgres://u:x@hidden@nowhere.invalid/d", nil, "write %40"},
		{"/ in the password", "postgres://u:1/hidden@nowhere.invalid/d", nil, "%2F"},
		{"no URL", "u:hidden@h", nil, "cannot be read"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := postgres.Open(t.Context(), test.url, postgres.Options{})
			if err == nil {
				t.Fatal("it was opened")
			}
			text := err.Error()
			if test.is != nil && !errors.Is(err, test.is) || !strings.Contains(text, test.says) {
				t.Errorf("got %q, want %v and %q", text, test.is, test.says)
			}
			for _, secret := range []string{"hidden", "s3cret", "word@", "weak word"} {
				if strings.Contains(text, secret) {
					t.Errorf("%q holds the password", text)
				}
			}
			if strings.Count(text, "no such host") > 1 {
				t.Errorf("%q says it twice", text)
			}
			if strings.Contains(text, "\n") {
				t.Errorf("%q has more than one line", text)
			}
		})
	}
	if err := shared.Exec("postgres", `do $$ begin
		if exists (select from pg_namespace where nspname = '`+schema+`')
			or (select count(*) from pg_class where relnamespace = 'foreign_tables'::regnamespace) <> 1
		then raise 'something was written'; end if; end $$`); err != nil {
		t.Error(err)
	}
}

// TestOlderSchema: tables of an older version are left alone, unless the upgrade
// is asked for.
func TestOlderSchema(t *testing.T) {
	schema := schemaOf(t)
	add(t, open(t, shared.URL("postgres"), postgres.Options{Schema: schema, Extract: said}), "/a", "text:one", "text:two")
	if err := shared.Exec("postgres", "set search_path = "+schema+`;
		alter table heads drop column said; drop table texts; delete from cambium_version where version_id = 5;
		create table texts (project bigint, gen bigint, seq bigint, part int, body text)`); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := postgres.Open(t.Context(), shared.URL("postgres"), postgres.Options{Schema: schema})
		if !errors.Is(err, postgres.ErrSchema) || !strings.Contains(err.Error(), "has version 4, this program wants 5") {
			t.Errorf("an older schema: %v", err)
		}
		var old *serverstatus.Old
		if !errors.As(err, &old) || old.Version != 4 || old.Schema != schema {
			t.Errorf("an older schema: %+v", old)
		}
	}
	s := open(t, shared.URL("postgres")+"&upgrade=true", postgres.Options{Schema: schema, Extract: said})
	st, err := s.Status(t.Context())
	if err != nil || st.Version != 5 || st.Unindexed != 2 {
		t.Errorf("after the upgrade: %+v, %v", st, err)
	}
	if err := s.Index(t.Context(), "/"); err != nil {
		t.Fatal(err)
	}
	if got := found(t, s, "/", words("two")...)["/a"]; got != "6 A" {
		t.Errorf("after the upgrade and Index: %q", got)
	}
}

// TestExisting: who only wants what is there makes nothing, also where nothing is;
// blobs that were just put are counted.
func TestExisting(t *testing.T) {
	schema := schemaOf(t)
	_, err := postgres.Open(t.Context(), shared.URL("postgres"), postgres.Options{Schema: schema, Existing: true})
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), schema) {
		t.Errorf("where no store is: %v", err)
	}
	if err := shared.Exec("postgres", `do $$ begin
		if exists (select from pg_namespace where nspname = '`+schema+`') then raise 'something was written'; end if; end $$`); err != nil {
		t.Error(err)
	}
	open(t, shared.URL("postgres"), postgres.Options{Schema: schema})
	s := open(t, shared.URL("postgres"), postgres.Options{Schema: schema, Existing: true})
	if _, err := s.Blobs().Put(t.Context(), []byte("one"), ""); err != nil {
		t.Fatal(err)
	}
	if st, err := s.Status(t.Context()); err != nil || st.Blobs != 1 || st.AboutBlobs {
		t.Errorf("status is %+v, %v", st, err)
	}
}

// TestManyOpen: many programs that begin at once make the tables once.
func TestManyOpen(t *testing.T) {
	schema := schemaOf(t)
	errs := make(chan error)
	for range 4 {
		go func() {
			s, err := opened(postgres.Open(t.Context(), shared.URL("postgres"), postgres.Options{Schema: schema}))
			if err == nil {
				err = s.Close()
			}
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// TestServerFrozen: a server that does not answer ends a call, and what it does
// when it wakes is found.
func TestServerFrozen(t *testing.T) {
	server := newServer(t)
	const schema = "s"
	s := open(t, server.URL("postgres"), postgres.Options{Schema: schema, Timeout: 200 * time.Millisecond, Patience: time.Millisecond})
	log, mark := started(t, s)
	if err := server.Freeze(); err != nil {
		t.Fatal(err)
	}
	lines := [][]byte{[]byte("a-0")}
	_, err := log.Append(t.Context(), mark, lines)
	if !errors.Is(err, postgres.ErrAway) {
		t.Errorf("append to a frozen server: %v", err)
	}
	if err := server.Thaw(); err != nil {
		t.Fatal(err)
	}
	for errors.Is(err, postgres.ErrAway) {
		_, err = log.Append(t.Context(), mark, lines)
	}
	if err != nil {
		t.Error(err)
	}
	check(t, server.URL("postgres"), schema, map[string]int{"a": 1})
}

// TestWatchAgain: a follower hears of what was appended while its server was
// away, once it is back.
func TestWatchAgain(t *testing.T) {
	server := newServer(t)
	s := open(t, server.URL("postgres"), postgres.Options{})
	log, mark := started(t, s)
	reader, err := s.Open(t.Context(), "/p/log", storage.Read)
	if err != nil {
		t.Fatal(err)
	}
	marks := make(chan storage.Mark)
	go func() {
		for m, err := range powers.Watch(t.Context(), reader, mark, 0) {
			if err != nil {
				t.Errorf("watch: %v", err)
			}
			select {
			case marks <- m:
			case <-t.Context().Done():
			}
		}
	}()
	for range 3 {
		if mark, err = appendAny(t.Context(), log, mark, "more"); err != nil {
			t.Fatal(err)
		}
		if got := <-marks; got != mark {
			t.Errorf("watch gave %v, want %v", got, mark)
		}
		if err := server.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
	}
}
