//go:build share

package cli_test

import (
	"strings"
	"testing"
)

// TestShareStoreOld: each store command on PostgreSQL tables of an older version,
// with a URL that says what it can against it, of a newer one, with contents to
// take out, and on a server that takes no writes.
func TestShareStoreOld(t *testing.T) {
	server := shareServer(t)
	url := server.URL("postgres") + "&application_name=two%20words&options=-c%20work_mem%3D2MB"
	h := newHome(t, t.TempDir(), url)
	const id = "0123456789abcdef"
	h.run(t, "", 0, "new", "--id", id, "--name", "kept")
	h.run(t, user("said before"), 0, "append", id)
	sql := func(text string) {
		t.Helper()
		if err := server.Exec("postgres", "set search_path = cambium; "+text); err != nil {
			t.Fatal(err)
		}
	}
	at := func(more string) home {
		return home{dir: h.dir, env: []string{h.env[0], "CAMBIUM_STORE=" + url + more}}
	}
	says := func(h home, want int, text string, args ...string) {
		t.Helper()
		if got := h.run(t, "", want, append([]string{"store"}, args...)...); !strings.Contains(got, text) || strings.Contains(got, "s3cret") {
			t.Errorf("store %q says %s, want %q", args, got, text)
		}
	}

	older := `alter table heads drop column said; drop table texts; delete from cambium_version where version_id = 5;
		create table texts (project bigint, gen bigint, seq bigint, part int, body text)`
	for _, more := range []string{"", "&upgrade=false", "&upgrade=false&upgrade=false", "#part"} {
		sql(older)
		for _, command := range []string{"status", "init", "gc"} {
			says(at(more), 6, "`cambium store upgrade` brings it up to date", command)
		}
		says(at(more), 6, "schema cambium of version 4; this program wants 5")
		says(at(more), 6, `"version":4,"wants":5`, "--json")
		says(at(more), 0, "schema cambium of version 5", "upgrade")
		says(at(more), 0, "1 session, 2 lines", "status")
	}
	h.has(t, id, "said before")

	// What was replaced lately stays, what was replaced long ago goes, once.
	h.run(t, "", 0, "move", id, t.TempDir())
	says(h, 0, "nothing to take out", "gc")
	sql("update dead set since = since - interval '11 minutes'")
	says(h, 0, `{"swept":{"contents":1}}`, "gc", "--json")
	says(h, 0, "nothing to take out", "gc")
	h.has(t, id, "said before")

	// A server that takes no writes is looked at, and refuses the rest in a line.
	h.run(t, "", 0, "rename", id, "another name")
	h.run(t, "", 0, "move", id, t.TempDir())
	sql("update dead set since = since - interval '11 minutes'")
	readOnly := at("&default_transaction_read_only=on")
	says(readOnly, 0, "the server takes no writes", "status")
	says(readOnly, 6, "read-only", "gc")
	says(h, 0, "taken out: ", "gc")

	sql("insert into cambium_version (version_id, is_applied) values (99, true)")
	for _, command := range []string{"status", "init", "upgrade", "gc"} {
		says(h, 6, "use a newer program", command)
	}
}
