package postgres

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Options says how a Store works. The zero value is ready to use.
type Options struct {
	// Schema is the schema that holds the tables; "" means that of the URL's
	// parameter "schema", else "cambium".
	Schema string
	// MaxConns is the most connections at once, beside one for followers and
	// one for each replacement; 0 means the URL's pool_max_conns, else 8.
	MaxConns int
	// Patience is how long a call waits for a server that went away, and
	// tries again what may be tried again; 0 means 10 s. After a call that
	// waited in vain the next ones do not wait, until one succeeds. Open does
	// not wait.
	Patience time.Duration
	// Timeout ends a statement that gets no answer, as if the connection were
	// cut; 0 means 30 s, and more for what is large.
	Timeout time.Duration
	// LeaseFor is how long a lease lasts that is not renewed; 0 means 30 s. It
	// is renewed three times as often.
	LeaseFor time.Duration
	// Extract returns the words by which Find finds a line, with blanks between
	// them, each as it is to be looked for and of at most 1024 bytes; and what
	// the line counts for, in any measure. nil extracts nothing: Index does it
	// later. It must be safe for concurrent use.
	Extract func(line []byte) (words string, said int)
	// Upgrade brings the tables of an older version of this package up to date;
	// else they are refused with ErrSchema. The URL's parameter "upgrade=true"
	// does the same. Tables are made in an empty schema in any case.
	Upgrade bool
	// Existing refuses an empty schema, with an error that wraps
	// fs.ErrNotExist, in the place of making tables there.
	Existing bool
}

func (o *Options) defaults() {
	for _, d := range []struct {
		at    *time.Duration
		usual time.Duration
	}{{&o.Patience, 10 * time.Second}, {&o.Timeout, 30 * time.Second}, {&o.LeaseFor, 30 * time.Second}} {
		if *d.at == 0 {
			*d.at = d.usual
		}
	}
	if o.Schema == "" {
		o.Schema = "cambium"
	}
}

// schemaName is what a schema may be called: a name that needs no quotes.
var schemaName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,40}$`)

// errURL is all that is said of a URL that cannot be read: what is wrong with
// it may stand beside a password.
var errURL = errors.New("it cannot be read: want postgres://USER:PASSWORD@HOST:PORT/DATABASE")

// config reads a URL and completes the options from it.
func config(rawURL string, opt *Options) (*pgxpool.Config, error) {
	if err := ambiguous(rawURL); err != nil {
		return nil, err
	}
	u, err := url.Parse(hostless(rawURL))
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return nil, errURL
	}
	query := u.Query()
	if s := query.Get("schema"); s != "" && opt.Schema == "" {
		opt.Schema = s
	}
	if err := checkQuery(query); err != nil {
		return nil, err
	}
	opt.Upgrade = opt.Upgrade || query.Get("upgrade") == "true"
	opt.defaults()
	if !schemaName.MatchString(opt.Schema) {
		return nil, fmt.Errorf("schema %q: want small letters, digits and _", opt.Schema)
	}
	limited := query.Has("pool_max_conns")
	hasty := query.Has("connect_timeout")
	chosen := query.Has("target_session_attrs")
	query.Del("schema")
	query.Del("upgrade")
	base, _, _ := strings.Cut(rawURL, "?")
	c, err := secure(base, query)
	if err != nil {
		if files := errFiles(err, query); files != nil {
			return nil, files
		}
		return nil, errURL
	}
	switch {
	case opt.MaxConns > 0:
		c.MaxConns = int32(opt.MaxConns)
	case !limited:
		c.MaxConns = 8
	}
	cc := c.ConnConfig
	cc.AfterNetConnect = meter
	// What is told of without having been asked for is kept for nobody.
	cc.OnNotification = func(*pgconn.PgConn, *pgconn.Notification) {}
	if !hasty && cc.ConnectTimeout == 0 {
		cc.ConnectTimeout = 5 * time.Second
	}
	if !chosen && cc.ValidateConnect == nil && hosts(&cc.Config) > 1 {
		// Of several servers the one that can be written to is meant.
		cc.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if cc.RuntimeParams["application_name"] == "" {
		cc.RuntimeParams["application_name"] = "cambium"
	}
	return c, nil
}

// hostless takes the hosts out of a URL: net/url does not read a list of them.
func hostless(rawURL string) string {
	scheme, rest, ok := strings.Cut(rawURL, "://")
	if !ok {
		return rawURL
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	return scheme + "://" + rest[end:]
}

// hosts counts the servers that a URL names.
func hosts(c *pgconn.Config) int {
	seen := map[string]bool{fmt.Sprint(c.Host, c.Port): true}
	for _, f := range c.Fallbacks {
		seen[fmt.Sprint(f.Host, f.Port)] = true
	}
	return len(seen)
}
