package database

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/vfs"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// writing opens a database as another program does, with a log.
func writing(t testing.TB, path string) *sqlite.Conn {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func run(t testing.TB, conn *sqlite.Conn, queries ...string) {
	t.Helper()
	for _, query := range queries {
		if err := sqlitex.ExecuteTransient(conn, query, nil); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
}

// TestOneMoment reads while another program changes two tables together, over and over, and moves
// its log into the database: both are always from the same moment.
func TestOneMoment(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	conn := writing(t, path)
	run(t, conn, "PRAGMA journal_mode = wal", "PRAGMA wal_autocheckpoint = 20", "PRAGMA synchronous = OFF",
		"CREATE TABLE a (n INTEGER)", "CREATE TABLE b (n INTEGER, filler TEXT)", "INSERT INTO a VALUES (0)", "INSERT INTO b VALUES (0, '')")
	lib := &Library{Form: Form{Needed: []Table{{"a", []string{"n"}}, {"b", []string{"n"}}}}}
	stop := make(chan struct{})
	var work sync.WaitGroup
	work.Add(1)
	go func() {
		defer work.Done()
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			is := strconv.Itoa(n)
			for _, query := range []string{
				"BEGIN IMMEDIATE", "UPDATE a SET n = " + is, "INSERT INTO b VALUES (" + is + ", hex(zeroblob(" + strconv.Itoa(n*37%3000) + ")))",
				"DELETE FROM b WHERE n < " + is + " - 50", "UPDATE b SET filler = filler || 'x' WHERE n % 7 = 0", "COMMIT",
			} {
				if err := sqlitex.ExecuteTransient(conn, query, nil); err != nil {
					t.Errorf("%s: %v", query, err)
					return
				}
			}
		}
	}()
	good, busy, seen := 0, 0, map[int64]bool{}
	for n := 0; good < 10 || len(seen) < 2; n++ {
		if n == 5000 {
			t.Fatalf("read %d times, %d moments, %d times it was written to", good, len(seen), busy)
		}
		var a, b int64
		err := lib.Read(context.Background(), vfs.OS(), path, func(d *DB) error {
			for query, to := range map[string]*int64{"SELECT n FROM a": &a, "SELECT max(n) FROM b": &b} {
				err := sqlitex.ExecuteTransient(d.Conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
					*to = s.ColumnInt64(0)
					return nil
				}})
				if err != nil {
					return err
				}
			}
			return nil
		})
		switch {
		case errors.Is(err, ErrBusy):
			busy++
		case err != nil:
			t.Fatal(err)
		case a != b:
			t.Fatalf("one table is of moment %d, the other of %d", a, b)
		default:
			good++
			seen[a] = true
		}
	}
	close(stop)
	work.Wait()
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	t.Logf("read %d times, %d moments, %d times it was written to", good, len(seen), busy)
}

// TestManyReaders reads one database from many goroutines.
func TestManyReaders(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	conn := writing(t, path)
	defer conn.Close()
	run(t, conn, "PRAGMA journal_mode = wal", "CREATE TABLE a (n INTEGER)", "INSERT INTO a VALUES (7)")
	lib := &Library{Form: Form{Needed: []Table{{"a", []string{"n"}}}}}
	var work sync.WaitGroup
	for range 8 {
		work.Add(1)
		go func() {
			defer work.Done()
			for range 20 {
				err := lib.Read(context.Background(), vfs.OS(), path, func(d *DB) error {
					return sqlitex.ExecuteTransient(d.Conn, "SELECT n FROM a", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
						if n := s.ColumnInt(0); n != 7 {
							t.Errorf("n is %d", n)
						}
						return nil
					}})
				})
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	work.Wait()
}

// TestReadOnly writes nothing to a database, whatever is asked, and calls off what takes long.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	conn := writing(t, path)
	run(t, conn, "CREATE TABLE a (n INTEGER)")
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lib := &Library{Form: Form{Needed: []Table{{"a", []string{"n"}}}}}
	for _, query := range []string{"INSERT INTO a VALUES (1)", "ATTACH '" + path + "' AS other", "PRAGMA journal_mode = wal", "VACUUM"} {
		_ = lib.Read(context.Background(), vfs.OS(), path, func(d *DB) error { return sqlitex.ExecuteTransient(d.Conn, query, nil) })
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database changed, %v", err)
	}
	names, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(names) != 1 {
		t.Errorf("beside it lies %v, %v", names, err)
	}
	ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer stop()
	err = lib.Read(ctx, vfs.OS(), path, func(d *DB) error {
		return sqlitex.ExecuteTransient(d.Conn, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n", nil)
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("what does not end: %v", err)
	}
}

// FuzzLog reads logs that hold anything: what is said of a page is in the log.
func FuzzLog(f *testing.F) {
	path := filepath.Join(f.TempDir(), "x.db")
	conn := writing(f, path)
	run(f, conn, "PRAGMA page_size = 512", "PRAGMA journal_mode = wal", "CREATE TABLE a (n INTEGER)", "INSERT INTO a VALUES (7)")
	log, err := os.ReadFile(path + logSuffix)
	if err != nil {
		f.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		f.Fatal(err)
	}
	s, err := readLog(bytes.NewReader(log), int64(len(log)))
	if err != nil || len(s.where) == 0 {
		f.Fatalf("%+v %v", s, err)
	}
	f.Add(log)
	f.Add(log[:100])
	f.Fuzz(func(t *testing.T, log []byte) {
		s, err := readLog(bytes.NewReader(log), int64(len(log)))
		if err != nil {
			t.Fatal(err)
		}
		for number, at := range s.where {
			if number == 0 || at < logHead+frameHead || at+s.page > int64(len(log)) {
				t.Fatalf("page %d at %d of %d", number, at, len(log))
			}
		}
	})
}
