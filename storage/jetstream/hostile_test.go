package jetstream_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/cambium-dev/cambium/storage/jetstream"
)

// escapes are bytes that would drive a terminal, or end a line.
const escapes = "\x1b]0;owned\x07\x1b[2J\u202Enruter\u200B"

// fit checks that an error can be told: one line of what can be seen, with the
// server in it, and without the password.
func fit(t *testing.T, err error, where string) {
	t.Helper()
	if err == nil {
		t.Error("it was opened")
		return
	}
	said := err.Error()
	if strings.ContainsFunc(said, func(r rune) bool { return !unicode.IsPrint(r) }) || len(said) > 1500 || strings.Contains(said, planted) ||
		!strings.Contains(said, where) && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is said %q, of %s", said, where)
	}
}

// openBad opens the store of a fake, which is to fail.
func openBad(t *testing.T, f *fake) {
	t.Helper()
	f.play(t)
	s, err := opened(jetstream.Open(t.Context(), "nats://ada:"+planted+"@"+f.address, jetstream.Options{Timeout: 150 * time.Millisecond, Patience: time.Millisecond}))
	if s != nil {
		_ = s.Close() // the error is what counts
	}
	fit(t, err, f.address)
}

// TestHostileInfo: a server that says something else of itself than servers say is
// one line that names it.
func TestHostileInfo(t *testing.T) {
	for name, info := range map[string]string{
		"nothing": "", "no JSON": "\"a\":", "other types": `"max_payload":"much","version":[],"server_id":7`, "a small payload": `"version":"2.12.0","max_payload":-1`,
		"an odd version": `"version":"` + "\\u001b]0;owned\\u0007" + `.9.9","max_payload":1048576,"headers":true`, "an old one": `"version":"2.1.0","max_payload":1048576,"headers":true`,
		"no headers": `"version":"2.12.0","max_payload":1048576`, "much": `"version":"` + strings.Repeat("9", 2<<20) + `"`, "lines": "\r\nMSG x 1 9223372036854775807\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			openBad(t, &fake{info: info})
		})
	}
}

// TestHostileAnswer: a server that answers garbage to the first question, or to
// later ones, is one line that names it, in bounded time; nothing panics.
func TestHostileAnswer(t *testing.T) {
	raw := func(text string) func(request) []byte { return func(request) []byte { return []byte(text) } }
	says := func(json string) func(request) []byte { return func(r request) []byte { return r.msg([]byte(json)) } }
	line := func(format string) func(request) []byte {
		return func(r request) []byte { return fmt.Appendf(nil, format, r.reply) }
	}
	for name, answer := range map[string]func(request) []byte{
		"says nothing": raw(""), "unknown": raw("HELLO\r\n"), "bytes": raw("\x00\xff\x1b[2J\r\n"), "text": raw("HTTP/1.1 200 OK\r\n\r\n"),
		"an error": raw("-ERR '" + escapes + "'\r\n"), "no rights": raw("-ERR 'Permissions Violation for Publish to \"" + escapes + "\"'\r\n"),
		"a size that is none": line("MSG %s 1 9223372036854775807\r\n"), "a size beyond that": line("MSG %s 1 99999999999999999999999\r\n"),
		"a terabyte": line("MSG %s 1 1000000000000\r\n"), "two gigabytes": line("MSG %s 1 2147483648\r\n"), "below nothing": line("MSG %s 1 -5\r\n"),
		"a size behind a return": line("MSG %s 1 9223372036854775807\r5\r\nhello\r\n"), "headers of a terabyte": line("HMSG %s 1 5 1000000000000\r\n"),
		"headers larger than all": line("HMSG %s 1 500 5\r\nhello\r\n"), "headers below nothing": line("HMSG %s 1 -5 5\r\nhello\r\n"),
		"bad headers": line("HMSG %s 1 10 12\r\nNATS/9.9\r\n{}\r\n"), "no size": line("MSG %s\r\n"), "nobody's": raw("MSG nobody 77 5\r\nhello\r\n"),
		"a line without end": raw("INFO " + strings.Repeat("x", 2<<20)), "a message without end": raw("MSG " + strings.Repeat("x", 1<<20)),
		"nothing in it": says(""), "no JSON": says("{"), "a list": says("[]"), "null": says("null"), "not a string": says("{\"error\":1}"),
		"an error with escapes": says(`{"error":{"code":500,"err_code":10999,"description":"\u001b]0;owned\u0007\u001b[2J\u202e"}}`),
		"a large error":         says(`{"error":{"code":500,"err_code":10999,"description":"` + strings.Repeat("no ", 200_000) + `"}}`),
		"deep":                  says(strings.Repeat("[", 500_000)), "off": says(`{"error":{"code":503,"err_code":10039,"description":"x"}}`),
		"only yes":              says(`{}`),
		"a stream of nothing":   says(`{"config":{"name":"CAMBIUM"},"state":{},"did_create":true}`),
		"numbers that are none": says(`{"config":{"name":"CAMBIUM","max_msg_size":-9223372036854775808,"num_replicas":-1},"state":{"last_seq":18446744073709551615,"messages":1e400}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			info := strings.ReplaceAll(plainInfo, `,"auth_required":true`, "")
			openBad(t, &fake{info: info, answer: answer})
			// The same once it has said that it has JetStream.
			openBad(t, &fake{info: info, answer: func(r request) []byte {
				if r.subject == "$JS.API.INFO" {
					return r.msg([]byte("{}"))
				}
				return answer(r)
			}})
		})
	}
}

// TestDiscovered: servers that a server names, and no person, are not gone to when
// it is away.
func TestDiscovered(t *testing.T) {
	f := &fake{info: plainInfo + `,"connect_urls":["evil.example.org:4222","192.0.2.66:4222"]`, ends: true}
	f.play(t)
	d := &jetstream.Dialer{Server: f.address, Dialed: make(chan string)}
	got := make(chan wholeStore)
	go func() {
		s, err := jetstream.Connect("nats://ada:"+planted+"@127.0.0.1:4222", jetstream.Options{}.Over(d))
		if err != nil {
			t.Error(err)
		}
		got <- s
	}()
	seen := []string{<-d.Dialed}
	s := <-got
	for range 5 {
		seen = append(seen, <-d.Dialed)
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	for open := true; open; {
		select {
		case address := <-d.Dialed:
			seen = append(seen, address)
		case err := <-closed:
			if open = false; err != nil {
				t.Error(err)
			}
		}
	}
	for _, address := range seen {
		if address != "127.0.0.1:4222" {
			t.Errorf("%s was gone to", address)
		}
	}
}
