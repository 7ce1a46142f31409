package postgres

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// ownParameters are the parameters of a URL that do not go to the server as they
// are, as a message has them.
const ownParameters = "schema, upgrade, pool_max_conns, sslmode, sslrootcert, sslcert, sslkey, connect_timeout, " +
	"target_session_attrs, default_query_exec_mode, application_name"

// ambiguous refuses a URL in which it is not clear where a password ends: what
// follows would be taken for the host, shown, and asked of others. The error shows
// nothing of it.
func ambiguous(rawURL string) error {
	_, rest, _ := strings.Cut(rawURL, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	path, _, _ := strings.Cut(rest[end:], "?")
	if strings.Count(rest[:end], "@") > 1 || !strings.Contains(rest[:end], "@") && strings.Contains(path, "@") {
		return errors.New("a user or password in the URL has one of @ / # ? in it: write %40 %2F %23 %3F")
	}
	return nil
}

// checkQuery refuses values that are none. What it does not know goes to the
// driver or the server, and is refused there.
func checkQuery(query url.Values) error {
	words := map[string][]string{
		"upgrade":                 {"true", "false"},
		"sslmode":                 {"disable", "allow", "prefer", "require", "verify-ca", "verify-full"},
		"target_session_attrs":    {"any", "read-write", "read-only", "primary", "standby", "prefer-standby"},
		"default_query_exec_mode": {"cache_statement", "cache_describe", "describe_exec", "exec", "simple_protocol"},
	}
	for key, values := range query {
		for _, value := range values {
			if known := words[key]; known != nil && !slices.Contains(known, value) {
				return fmt.Errorf("%s in the URL: want one of %s", key, strings.Join(known, ", "))
			}
		}
	}
	for key, least := range map[string]int{"pool_max_conns": 1, "connect_timeout": 0} {
		n, err := strconv.Atoi(query.Get(key))
		if query.Has(key) && (err != nil || n < least || n > math.MaxInt32) {
			return fmt.Errorf("%s in the URL: want a number, %d or more", key, least)
		}
	}
	return nil
}
