package jetstream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Options says how a Store works. The zero value is ready to use; what it leaves
// out the URL's query may say.
type Options struct {
	// Stream is the stream's name; "" means the URL's "stream", else "CAMBIUM".
	// Subjects begin with the same in small letters.
	Stream string
	// Existing refuses a server without the stream, with an error that wraps
	// fs.ErrNotExist, in the place of making it.
	Existing bool
	// Replicas is how many servers must hold all; 0 means the URL's "replicas",
	// else 1. A stream is made with so many; one that has fewer is refused.
	Replicas int
	// Patience is how long a call waits for a server that went away, and
	// tries again what may be tried again; 0 means 10 s. After a call that
	// waited in vain the next ones do not wait, until one succeeds. Open does
	// not wait.
	Patience time.Duration
	// Timeout is how long an answer may take before it counts as lost; 0 means
	// 3 s.
	Timeout time.Duration
	// LeaseFor is how long a lease lasts that is not renewed, at least 1 s; 0
	// means 30 s. It is renewed three times as often.
	LeaseFor time.Duration

	// What follows is asked for by words in the query of the URL.

	// memory wants a stream that is kept in memory only ("storage=memory"). Else such a
	// stream is refused, and with it one in files.
	memory bool
	// syncAlways refuses a server that acknowledges before it has synced to disk
	// ("sync=always"). Only the server's monitoring tells: see monitor.
	syncAlways bool
	// monitor are the addresses of the servers' monitoring ("HOST:8222", or
	// "https://HOST:8222").
	monitor []string
	// minPayload is how large a message the server must take, in bytes; 0 means 64 KiB
	// ("payload"). Longer lines are split.
	minPayload int64
	// credentials is a file with a user's credentials ("creds"), ca one with the
	// certificate that the server's is checked with; certificate ("cert") and key are
	// files with a certificate of the user's own, for servers that want one.
	credentials, ca, certificate, key string
	// plain lets a server off this machine decline TLS ("tls=off"): whoever is in between
	// then reads and changes what is sent, passwords included. Else it is refused and
	// nothing is sent. On this machine, without a ca and without "tls://" in the URL, the
	// server chooses.
	plain bool

	dial func(ctx context.Context, network, address string) (net.Conn, error) // nil means that of the net
}

// errURL is all that is said of a URL that cannot be read: what is wrong with
// it may stand beside a password.
var errURL = errors.New("it cannot be read: want nats://USER:PASSWORD@HOST:PORT")

// streamName is what a stream may be called.
var streamName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,31}$`)

// letters are what all words of a query are made of.
var letters = regexp.MustCompile(`^[a-z]+$`)

// complete takes the query out of a URL and puts it into the options. The rest
// is for the client: several servers may stand in it, with commas between. Nothing is
// said of a query that may be the rest of a password.
func (o *Options) complete(rawURL string) (servers string, err error) {
	servers, err = o.read(rawURL)
	_, query, _ := strings.Cut(rawURL, "?")
	if err != nil && (strings.Contains(query, "@") || strings.Contains(query, "%40")) {
		return "", fmt.Errorf("%w; in a user or password write %%40 for @ and %%3F for ?", errURL)
	}
	return servers, err
}

// read is complete with errors that name what is wrong in the query.
func (o *Options) read(rawURL string) (servers string, err error) {
	servers, rawQuery, _ := strings.Cut(rawURL, "?")
	scheme, rest, ok := strings.Cut(servers, "://")
	if !ok || rest == "" || scheme != "nats" && scheme != "tls" {
		return "", errURL
	}
	for _, one := range strings.Split(servers, ",") {
		if !strings.Contains(one, "://") {
			one = scheme + "://" + one
		}
		u, err := url.Parse(one)
		if strings.Count(one, "@") > 1 {
			return "", errors.New("a user or password in the URL has an @ in it: write %40")
		}
		if err != nil || u.Host == "" || u.Path != "" && u.Path != "/" {
			return "", errURL
		}
	}
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return "", errURL
	}
	for key, values := range query {
		if err := o.ask(key, values[len(values)-1]); err != nil {
			return "", err
		}
	}
	o.defaults()
	switch {
	case !streamName.MatchString(o.Stream):
		return "", fmt.Errorf("stream %q: want letters, digits, - and _", o.Stream)
	case o.Replicas < 1 || o.Replicas > 5:
		return "", fmt.Errorf("replicas %d: want 1 to 5", o.Replicas)
	case o.plain && (scheme == "tls" || o.ca != ""):
		return "", errors.New("tls=off in the URL, which asks for TLS with tls:// or ca: want one of them")
	case (o.certificate == "") != (o.key == ""):
		return "", errors.New("cert and key in the URL: want both or neither")
	case o.LeaseFor < time.Second:
		return "", fmt.Errorf("leases of %s: want 1s or more", o.LeaseFor)
	}
	return servers, nil
}

// ask takes one word of the query, unless the options have it already.
func (o *Options) ask(key, value string) error {
	var err error
	unknown := func() error { return fmt.Errorf("%s %q in the URL is not known", key, value) }
	switch key {
	case "stream":
		take(&o.Stream, value)
	case "creds":
		take(&o.credentials, value)
	case "ca":
		take(&o.ca, value)
	case "cert":
		take(&o.certificate, value)
	case "key":
		take(&o.key, value)
	case "monitor":
		if o.monitor == nil {
			o.monitor = strings.Split(value, ",")
		}
	case "replicas":
		var n int
		if n, err = strconv.Atoi(value); err == nil {
			if n < 1 || n > 5 {
				return fmt.Errorf("replicas %d in the URL: want 1 to 5", n)
			}
			take(&o.Replicas, n)
		}
	case "payload":
		var n int64
		if n, err = strconv.ParseInt(value, 10, 64); err == nil {
			if n < 1 {
				return fmt.Errorf("payload %d in the URL: want 1 or more bytes", n)
			}
			take(&o.minPayload, n)
		}
	case "storage":
		if value != "memory" && value != "file" {
			return unknown()
		}
		o.memory = o.memory || value == "memory"
	case "tls":
		if value != "off" && value != "on" {
			return unknown()
		}
		o.plain = o.plain || value == "off"
	case "sync":
		if value != "always" && value != "interval" {
			return unknown()
		}
		o.syncAlways = o.syncAlways || value == "always"
	default:
		what := "a word"
		if letters.MatchString(key) {
			what = strconv.Quote(key)
		}
		return fmt.Errorf("%s in the query of the URL is not known: want stream, replicas, storage, sync, monitor, payload, tls, creds, ca, cert or key", what)
	}
	if err != nil {
		return fmt.Errorf("%s %q in the URL: want a number", key, value)
	}
	return nil
}

// take sets what is not set yet.
func take[T comparable](at *T, value T) {
	var zero T
	if *at == zero {
		*at = value
	}
}

func (o *Options) defaults() {
	take(&o.Stream, "CAMBIUM")
	take(&o.Replicas, 1)
	take(&o.minPayload, 64<<10)
	take(&o.Patience, 10*time.Second)
	take(&o.Timeout, 3*time.Second)
	take(&o.LeaseFor, 30*time.Second)
}
