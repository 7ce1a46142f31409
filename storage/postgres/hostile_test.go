package postgres_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"net"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/cambium-dev/cambium/blob"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/postgres"
	"github.com/jackc/pgx/v5/pgproto3"
)

// bytesOf are messages as a server sends them.
func bytesOf(messages ...pgproto3.BackendMessage) []byte {
	var all []byte
	for _, m := range messages {
		all, _ = m.Encode(all) // what a test makes can be encoded
	}
	return all
}

// answerOf is the answer to a query: rows of texts, "" for a null, in columns of
// types.
func answerOf(oids []uint32, rows ...[]string) []byte {
	d := &pgproto3.RowDescription{}
	for _, oid := range oids {
		d.Fields = append(d.Fields, pgproto3.FieldDescription{Name: []byte("c\x1b[31m"), DataTypeOID: oid, DataTypeSize: -1, TypeModifier: -1})
	}
	all := bytesOf(d)
	for _, row := range rows {
		r := &pgproto3.DataRow{}
		for _, text := range row {
			if text == "" {
				r.Values = append(r.Values, nil)
			} else {
				r.Values = append(r.Values, []byte(text))
			}
		}
		all = append(all, bytesOf(r)...)
	}
	return append(all, bytesOf(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")}, ready())...)
}

func ready() *pgproto3.ReadyForQuery { return &pgproto3.ReadyForQuery{TxStatus: 'I'} }

// Types of columns.
const (
	boolean, bytea, int8s, int4, text, stamp = 16, 17, 20, 23, 25, 1184
)

// A speaker is a server that is what it says until it is asked for what a store
// holds. Then it says what a test wants.
type speaker struct {
	opens map[string][]byte            // what it answers to queries with these words
	says  func(c net.Conn, sql string) // to all other
}

// play serves one connection.
func (p speaker) play(c net.Conn) {
	if first, err := startup(c); err != nil {
		return
	} else if string(first) == sslRequest {
		if _, err := c.Write([]byte("N")); err != nil {
			return
		}
		if _, err := startup(c); err != nil {
			return
		}
	}
	_, err := c.Write(bytesOf(&pgproto3.AuthenticationOk{}, &pgproto3.ParameterStatus{Name: "standard_conforming_strings", Value: "on"},
		&pgproto3.ParameterStatus{Name: "client_encoding", Value: "UTF8"}, &pgproto3.BackendKeyData{ProcessID: 7, SecretKey: []byte{0, 0, 0, 7}}, ready()))
	backend := pgproto3.NewBackend(c, c)
	for err == nil {
		var m pgproto3.FrontendMessage
		if m, err = backend.Receive(); err != nil {
			return
		}
		switch m := m.(type) {
		case *pgproto3.Query:
			err = p.answer(c, m.String)
		case *pgproto3.Terminate:
			return
		}
	}
}

func (p speaker) answer(c net.Conn, sql string) error {
	for words, answer := range p.opens {
		if strings.Contains(sql, words) {
			_, err := c.Write(answer)
			return err
		}
	}
	if p.says == nil {
		_, err := c.Write(bytesOf(ready()))
		return err
	}
	p.says(c, sql)
	return nil
}

// opening is what a store asks that is opened.
func opening() map[string][]byte {
	return map[string][]byte{
		"pg_backend_pid":     answerOf([]uint32{int4}, []string{"7"}),
		"server_version_num": answerOf([]uint32{int4, boolean, boolean, boolean}, []string{"160000", "f", "t", "t"}),
		"max(version_id)":    answerOf([]uint32{int8s}, []string{"5"}),
	}
}

// head is the row of a log.
func head(dir, base, lines, bytes string) []string {
	return []string{dir, base, "1", "2", "3", lines, bytes, "4", "2026-01-01 00:00:00+00"}
}

func headTypes() []uint32 {
	return []uint32{text, text, int8s, int8s, int8s, int8s, int8s, int8s, stamp}
}

// openFake opens the store of a speaker, which the test closes.
func openFake(t *testing.T, p speaker) (s wholeStore, address string) {
	t.Helper()
	return openFakeFor(t, 400*time.Millisecond, p)
}

// openFakeFor is openFake with another time for each answer.
func openFakeFor(t *testing.T, timeout time.Duration, p speaker) (s wholeStore, address string) {
	t.Helper()
	f := newFake(t, p.play)
	err := postgres.ErrAway
	for errors.Is(err, postgres.ErrAway) { // the machine may be slower than the server
		s, err = opened(postgres.Open(t.Context(), "postgres://ada:"+planted+"@"+f.address+"/d?sslmode=disable&default_query_exec_mode=simple_protocol",
			postgres.Options{Timeout: timeout, Patience: time.Millisecond}))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, f.address
}

// asks are the calls of a store that get something from its server.
func asks() map[string]func(ctx context.Context, s wholeStore) error {
	return map[string]func(context.Context, wholeStore) error{
		"stat": func(ctx context.Context, s wholeStore) error { _, err := s.Stat(ctx, "/p/a"); return err },
		"list": func(ctx context.Context, s wholeStore) error {
			for _, err := range s.List(ctx, "/p") {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"open": func(ctx context.Context, s wholeStore) error {
			_, err := s.Open(ctx, "/p/a", storage.Read)
			return err
		},
		"prefix": func(ctx context.Context, s wholeStore) error {
			_, err := s.ReadPrefix(ctx, "/p/a", 100)
			return err
		},
		"blob": func(ctx context.Context, s wholeStore) error {
			_, err := s.Blobs().Read(ctx, blob.RefOf([]byte("x")))
			return err
		},
		"lease": func(ctx context.Context, s wholeStore) error {
			l, err := s.Lease(ctx, "/p/a", storage.Holder{ID: "me"})
			if err == nil {
				err = l.Release(ctx)
			}
			return err
		},
		"status": func(ctx context.Context, s wholeStore) error { _, err := s.Status(ctx); return err },
		"search": func(ctx context.Context, s wholeStore) error {
			for _, err := range s.Search(ctx, "/p", []byte("x")) {
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// fit checks that an error can be told: one line of what can be seen, with the
// server in it, and without the password.
func fit(t *testing.T, err error, where string) {
	t.Helper()
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, blob.ErrMismatch) {
		return // an answer
	}
	said := err.Error()
	if strings.ContainsFunc(said, func(r rune) bool { return !unicode.IsPrint(r) }) || len(said) > 1500 || !strings.Contains(said, where) || strings.Contains(said, planted) {
		t.Errorf("it is said %q, of %s", said, where)
	}
}

// write says something, in one go.
func write(data []byte) func(net.Conn, string) {
	return func(c net.Conn, _ string) { _, _ = c.Write(data) } // who is gone hears nothing
}

// vast is the largest row that is taken for one.
const vast = "a row of 1 GB, broken off"

// brokenOff claims a row of a length, and goes away within it.
func brokenOff(length uint32) func(net.Conn, string) {
	return func(c net.Conn, _ string) {
		_, _ = c.Write(framed('D', length, "\x00\x01"))
		_ = c.Close()
	}
}

// framed is a message of any kind and claimed length.
func framed(kind byte, length uint32, body string) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kind}, length), body...)
}

// TestHostileServer: a server that answers garbage to any question is an error that
// names it, in bounded time and memory; it makes nothing panic and drives no
// terminal.
func TestHostileServer(t *testing.T) {
	const escapes = "\x1b]0;owned\x07\x1b[2J\u202Enruter\u200B\r\nsecond line\x00"
	said := &pgproto3.ErrorResponse{Severity: "ERROR" + escapes, Code: "XX\x1b00", Message: escapes, Detail: escapes, Hint: escapes}
	pretty := func(kind byte, code string) []byte {
		return append(bytesOf(&pgproto3.ErrorResponse{Severity: "ERROR", Code: code, Message: strings.ReplaceAll(escapes, "\x00", "")}), bytesOf(ready())...)
	}
	types := []uint32{text, int8s, bytea, stamp, boolean}
	tests := map[string]func(net.Conn, string){
		"closes":                            func(c net.Conn, _ string) { _ = c.Close() },
		"says nothing":                      func(net.Conn, string) {},
		"says only that it is ready":        write(bytesOf(ready())),
		"an unknown message":                write([]byte("\x1b\x00\x00\x00\x04")),
		"text":                              write([]byte("HTTP/1.1 200 OK\r\n\r\n" + escapes)),
		"a row of 2 GB":                     write(framed('D', 1<<31-1, "\x00\x01")),
		"a row of 20 MB, broken off":        brokenOff(20 << 20),
		vast:                                brokenOff(1<<30 - 100),
		"a length of nothing":               write(framed('D', 0, "")),
		"a length below nothing":            write(framed('T', 1<<32-1, "")),
		"rows before columns":               write(bytesOf(&pgproto3.DataRow{Values: [][]byte{[]byte("1")}}, ready())),
		"more columns than said":            write(framed('D', 12, "\xff\xff\xff\xff\xff\xff\xff\xff")),
		"a value longer than its row":       write(append(answerOf(types)[:0:0], append(bytesOf(&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("x"), DataTypeOID: int8s}}}), framed('D', 12, "\x00\x01\x7f\xff\xff\xff12")...)...)),
		"no columns":                        write(answerOf(nil, []string{})),
		"other types":                       write(answerOf(types, []string{escapes[:5], "x", "\\xzz", "never", "perhaps"})),
		"nulls":                             write(answerOf(types, []string{"", "", "", "", ""})),
		"another error each time":           write(pretty('E', "XX000")),
		"an error with nothing right in it": write(append(bytesOf(said), bytesOf(ready())...)),
		"serialization for ever":            write(pretty('E', "40001")),
		"shut down":                         write(pretty('E', "57P01")),
		"no such table":                     write(pretty('E', "42P01")),
		"a notice, and away": func(c net.Conn, _ string) {
			_, _ = c.Write(bytesOf(&pgproto3.NoticeResponse{Severity: "NOTICE", Message: escapes}, &pgproto3.NotificationResponse{PID: 1, Channel: escapes, Payload: escapes}))
			_ = c.Close()
		},
		"copying":           write(bytesOf(&pgproto3.CopyOutResponse{}, &pgproto3.CopyData{Data: []byte("x")}, ready())),
		"a password, again": write(bytesOf(&pgproto3.AuthenticationCleartextPassword{})),
		"ready in between":  write(bytesOf(ready(), ready(), ready(), &pgproto3.CommandComplete{CommandTag: []byte("SELECT 99999999999999999999")}, ready())),
	}
	for name, says := range tests {
		for what, ask := range asks() {
			if name == vast && what != "blob" {
				continue // it is read as the one of 20 MB is
			}
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				s, address := openFake(t, speaker{opening(), says})
				err := ask(t.Context(), s)
				if answered := []string{"lease", "list", "search", "status"}; err == nil && !slices.Contains(answered, what) {
					t.Error("there was an answer")
				}
				fit(t, err, address)
			})
		}
	}
}

// TestHostileOpening: the same of a server that answers so as soon as it is asked
// for anything.
func TestHostileOpening(t *testing.T) {
	for words, wrong := range map[string][]byte{
		"pg_backend_pid": answerOf([]uint32{int4}, []string{"7"}, []string{"8"}), "server_version_num": answerOf([]uint32{text}, []string{"\x1b[2J"}),
		"max(version_id)": answerOf([]uint32{text}, []string{"5\x1b"}),
	} {
		p := speaker{opens: opening()}
		p.opens[words] = wrong
		f := newFake(t, p.play)
		_, err := postgres.Open(t.Context(), "postgres://ada:"+planted+"@"+f.address+"/d?sslmode=disable&default_query_exec_mode=simple_protocol", postgres.Options{})
		if err == nil {
			t.Errorf("%s: it was opened", words)
		}
		fit(t, err, f.address)
	}
}

// TestHostileStartup: a server that says garbage, much or nothing before anybody is
// let in is one line.
func TestHostileStartup(t *testing.T) {
	for name, says := range map[string]func(c net.Conn){
		"closes":             func(net.Conn) {},
		"half an answer":     func(c net.Conn) { _, _ = c.Write([]byte("R\x00\x00")) },
		"2 GB":               func(c net.Conn) { _, _ = c.Write(framed('R', 1<<31-1, "")) },
		"unknown":            func(c net.Conn) { _, _ = c.Write(framed('R', 8, "\x00\x00\x00\x63")) },
		"an unknown message": func(c net.Conn) { _, _ = c.Write(framed('\x1b', 4, "")) },
		"an old error":       func(c net.Conn) { _, _ = c.Write([]byte("E\x1b]0;owned\x07 no\x00")) },
		"SCRAM of nothing":   func(c net.Conn) { _, _ = c.Write(bytesOf(&pgproto3.AuthenticationSASL{})) },
		"unknown mechanisms": func(c net.Conn) {
			_, _ = c.Write(bytesOf(&pgproto3.AuthenticationSASL{AuthMechanisms: []string{"\x1b[2J"}}))
		},
		"SCRAM for ever": func(c net.Conn) {
			_, _ = c.Write(bytesOf(&pgproto3.AuthenticationSASL{AuthMechanisms: []string{"SCRAM-SHA-256"}}, &pgproto3.AuthenticationSASLContinue{Data: []byte("r=x,s=YQ==,i=2147483647")}))
		},
		"ready before it let in": func(c net.Conn) { _, _ = c.Write(bytesOf(ready())) },
		"another protocol": func(c net.Conn) {
			_, _ = c.Write(bytesOf(&pgproto3.NegotiateProtocolVersion{NewestMinorProtocol: 1 << 31, UnrecognizedOptions: []string{"\x1b"}}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, func(c net.Conn) {
				if _, err := startup(c); err == nil {
					says(c)
				}
			})
			_, err := postgres.Open(t.Context(), "postgres://ada:"+planted+"@"+f.address+"/d?sslmode=disable", postgres.Options{})
			if err == nil {
				t.Error("it was opened")
			}
			fit(t, err, f.address)
		})
	}
}

// TestHostileMuch: answers without end are broken off, and an error of a hundred
// megabytes is told in a line. Time bounds nothing here, size does.
func TestHostileMuch(t *testing.T) {
	rows := bytes.Repeat(bytesOf(&pgproto3.DataRow{Values: [][]byte{[]byte("/p/a")}}), 10_000)
	endless := func(c net.Conn, _ string) {
		_, err := c.Write(bytesOf(&pgproto3.RowDescription{Fields: []pgproto3.FieldDescription{{Name: []byte("x"), DataTypeOID: text}}}))
		for err == nil {
			_, err = c.Write(rows)
		}
	}
	s, address := openFakeFor(t, time.Hour, speaker{opening(), endless})
	if _, err := s.Blobs().Read(t.Context(), blob.RefOf([]byte("x"))); err == nil || !strings.Contains(err.Error(), "more than was asked") {
		t.Errorf("a row without end: %v", err)
	} else {
		fit(t, err, address)
	}
	opens := opening()
	opens["h.base > "] = answerOf(headTypes(), head("/p", "a", "1", "10"))
	s, address = openFakeFor(t, time.Hour, speaker{opens, endless})
	dirs := asks()["list"](t.Context(), s)
	if dirs == nil || !strings.Contains(dirs.Error(), "more than was asked") {
		t.Errorf("directories without end: %v", dirs)
	}
	fit(t, dirs, address)

	huge := append(bytesOf(&pgproto3.ErrorResponse{Severity: "ERROR", Code: "XX000", Message: strings.Repeat("\x1b[31m no ", 10<<20)}), bytesOf(ready())...)
	s, address = openFakeFor(t, time.Hour, speaker{opening(), write(huge)})
	_, err := s.Stat(t.Context(), "/p/a")
	if err == nil {
		t.Error("there was an answer")
	}
	fit(t, err, address)
}

// TestHostileNames: what a listing says that cannot be in the directory is left
// out, and a listing that does not go on is broken off.
func TestHostileNames(t *testing.T) {
	list := func(answers map[string][]byte) (names []string, err error) {
		opens := opening()
		for words, answer := range answers {
			opens[words] = answer
		}
		s, _ := openFake(t, speaker{opens: opens})
		for info, err := range s.List(t.Context(), "/p") {
			if err != nil {
				return names, err
			}
			names = append(names, info.Name)
		}
		return names, nil
	}
	logs := answerOf(headTypes(), head("/p", "..", "1", "1"), head("/p", "../../etc/passwd", "1", "1"), head("/p", "/abs", "1", "1"), head("/etc", "b", "1", "1"),
		head("/p", "c/d", "1", "1"), head("/p", "good", "1", "1"))
	dirs := answerOf([]uint32{text}, []string{"/etc"}, []string{"/p/../x"}, []string{"/p/sub"}, []string{"/p/sub/deep"}, []string{"relative"})
	names, err := list(map[string][]byte{"h.base > ": logs, ".dirs d": dirs})
	if want := []string{"/p/good", "/p/sub"}; !slices.Equal(names, want) || err != nil {
		t.Errorf("listed %q, %v, want %q", names, err, want)
	}
	again := make([][]string, 10_000)
	for i := range again {
		again[i] = head("/p", "same", "1", "1")
	}
	if _, err := list(map[string][]byte{"h.base > ": answerOf(headTypes(), again...), ".dirs d": answerOf([]uint32{text})}); err == nil {
		t.Error("a listing that does not go on was believed")
	}
}

// TestHostileLines: what heads and lines say that does not fit is an error or what
// there is, and never without end: sizes below nothing, a content that is claimed
// to be larger than everything, a tail that is sent more than it asked for.
func TestHostileLines(t *testing.T) {
	most, least := "9223372036854775807", "-9223372036854775808"
	for _, claim := range [][]string{head("/p", "a", most, most), head("/p", "a", least, least), head("/p", "a", "3", "-1"), head("/p", "a", "-1", "9"), head("/p", "a", most, "1")} {
		opens := opening()
		view := append(claim, "4", "0")
		opens["left join cambium.lines"] = answerOf(append(headTypes(), int8s, int8s), view)
		opens["order by seq desc"] = answerOf([]uint32{int8s, bytea}, []string{"3", "\\x41"}, []string{"2", "\\x0042"}, []string{"1", "\\x" + strings.Repeat("ff", 1000)})
		opens["select body from ("] = answerOf([]uint32{bytea})
		s, address := openFake(t, speaker{opens: opens})
		log, err := s.Open(t.Context(), "/p/a", storage.Read)
		if err != nil {
			t.Fatal(err)
		}
		tail, err := log.ReadTail(t.Context(), 100)
		if len(tail) > 3 {
			t.Errorf("%q: a tail of %d lines", claim, len(tail))
		}
		fit(t, err, address)
		n := 0
		for _, err = range log.Read(t.Context(), storage.Mark{}) {
			if n++; err != nil {
				break
			}
		}
		if n > 1 {
			t.Errorf("%q: %d lines of nothing", claim, n)
		}
	}
}
