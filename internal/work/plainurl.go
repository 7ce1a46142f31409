package work

import (
	"net/url"
	"slices"
	"strings"
)

// PlainURL is the URL of a store without a password, to be shown: without that of
// each server of a list, a token in the place of a user, and the parameters that
// are secret. It need not be a URL that can be opened.
func PlainURL(raw string) string {
	servers, query, asks := strings.Cut(raw, "?")
	scheme, rest, _ := strings.Cut(servers, "://")
	database := strings.HasPrefix(scheme, "postgres")
	list := []string{rest} // its servers have one user
	if !database {
		list = strings.Split(rest, ",")
	}
	for i, one := range list {
		before, server, ok := strings.Cut(one, "://")
		if !ok {
			before, server = "", one
		} else {
			before += "://"
		}
		list[i] = before + plainServer(server, database)
	}
	plain := scheme + "://" + strings.Join(list, ",")
	if !asks {
		return plain
	}
	asked := slices.DeleteFunc(strings.Split(query, "&"), hidden)
	if len(asked) == 0 {
		return plain
	}
	return plain + "?" + strings.Join(asked, "&")
}

// plainServer is a server of a URL without its password. alone says that a user
// without one is a user, and no token.
func plainServer(server string, alone bool) string {
	end := strings.IndexAny(server, "/#")
	if end < 0 || !strings.Contains(server[:end], "@") {
		end = len(server) // what the password ends at may be in it
	}
	at := strings.LastIndexByte(server[:end], '@')
	if at < 0 {
		return server
	}
	user, _, has := strings.Cut(server[:at], ":")
	if user == "" || !has && !alone {
		return server[at+1:]
	}
	return user + "@" + server[at+1:]
}

// hidden reports whether a parameter of a URL is not to be shown.
func hidden(parameter string) bool {
	key, _, _ := strings.Cut(parameter, "=")
	if is, err := url.QueryUnescape(key); err == nil {
		key = is
	}
	return strings.Contains(strings.ToLower(key), "password")
}
