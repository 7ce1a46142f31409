//go:build share

package cli_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/cli"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/jetstream"
	"github.com/cambium-dev/cambium/storage/postgres"
)

// opened opens the store of a URL past the command.
func opened(t *testing.T, url string) storage.Store {
	t.Helper()
	if strings.HasPrefix(url, "nats") {
		s, err := jetstream.Open(t.Context(), url, jetstream.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	s, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// operation is a line that rm, undo and trash print with --json.
type operation struct{ Op, UndoID, Path string }

func (h home) operation(t *testing.T, args ...string) (o operation) {
	t.Helper()
	text := h.run(t, "", 0, append(args, "--json")...)
	line, _, _ := strings.Cut(text, "\n")
	if err := json.Unmarshal([]byte(line), &o); err != nil || o.UndoID == "" || o.Path == "" {
		t.Fatalf("cambium %q printed %s: %v", args, text, err)
	}
	return o
}

// has reports whether a session says a text.
func (h home) has(t *testing.T, id, text string) {
	t.Helper()
	if got := h.run(t, "", 0, "show", id); !strings.Contains(got, text) {
		t.Errorf("show %s: %s", id, got)
	}
}

// TestShareTrash: what one machine removes another can bring back, and what was
// removed can be deleted for good.
func TestShareTrash(t *testing.T) { eachStore(t, testShareTrash) }

func testShareTrash(t *testing.T, url string) {
	work := t.TempDir()
	one, two := newHome(t, work, url), newHome(t, work, url)
	const id = "0123456789abcdef"
	path := strings.TrimSpace(one.run(t, "", 0, "new", "--id", id))
	one.run(t, user("keep this"), 0, "append", id)

	gone := one.operation(t, "rm", id)
	if gone.Op != "rm" || gone.Path != path {
		t.Errorf("rm: %+v", gone)
	}
	two.run(t, "", 3, "show", id)
	if got := two.run(t, "", 0, "ls"); strings.Contains(got, id[:8]) {
		t.Errorf("listed as %s", got)
	}
	two.run(t, "", 3, "undo") // it did nothing
	if got := two.operation(t, "trash", "ls"); got != gone {
		t.Errorf("in the trash: %+v", got)
	}
	two.run(t, "", 0, "trash", "restore", gone.UndoID[:6])
	one.has(t, id, "keep this")
	one.run(t, "", 6, "undo") // another machine did it

	one.operation(t, "rm", id)
	back := one.operation(t, "undo")
	if back.Path != path {
		t.Errorf("undo: %+v", back)
	}
	two.has(t, id, "keep this")

	// Where its name is taken it comes back beside it.
	one.operation(t, "rm", id)
	two.run(t, "", 0, "append", path)
	if at := one.operation(t, "undo").Path; at == path || !strings.HasPrefix(at, strings.TrimSuffix(path, ".jsonl")) {
		t.Errorf("it came back at %q", at)
	}
	one.run(t, "", 0, "rm", path)

	last := one.operation(t, "trash", "ls")
	two.run(t, "", 0, "trash", "empty", last.UndoID)
	if got := one.run(t, "", 0, "trash"); !strings.Contains(got, "empty") {
		t.Errorf("the trash: %s", got)
	}
	one.run(t, "", 6, "undo", last.UndoID)
}

// TestShareUndo: what was done to a session of a store is taken back there.
func TestShareUndo(t *testing.T) { eachStore(t, testShareUndo) }

func testShareUndo(t *testing.T, url string) {
	work, other := t.TempDir(), t.TempDir()
	h := newHome(t, work, url)
	const id = "0123456789abcdef"
	path := strings.TrimSpace(h.run(t, "", 0, "new", "--id", id, "--name", "first name"))
	h.run(t, user("said before"), 0, "append", id)

	h.run(t, "", 0, "rename", id, "second name")
	h.operation(t, "undo")
	if got := h.run(t, "", 0, "ls"); !strings.Contains(got, "first name") || strings.Contains(got, "second name") {
		t.Errorf("listed as %s", got)
	}

	moved := strings.TrimSpace(h.run(t, "", 0, "move", id, other))
	if moved == path || filepath.Base(moved) != filepath.Base(path) {
		t.Errorf("moved from %q to %q", path, moved)
	}
	if got := h.run(t, "", 0, "ls", "--cwd", other, "--json"); !strings.Contains(got, moved) {
		t.Errorf("in %s: %s", other, got)
	}
	h.run(t, user("said there"), 0, "append", id)
	if back := h.operation(t, "undo"); back.Path != path {
		t.Errorf("undo: %+v", back)
	}
	h.has(t, id, "said there")
	if got := h.run(t, "", 0, "ls", "--cwd", work, "--json"); !strings.Contains(got, path) {
		t.Errorf("in %s: %s", work, got)
	}
	h.run(t, "", 3, "undo")
	for _, dir := range []string{work, other} {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("something was written to %s: %v, %v", dir, entries, err)
		}
	}
}

// TestShareContinue: in a directory one goes on with what this terminal last used
// of the store there, else with the newest of it.
func TestShareContinue(t *testing.T) { eachStore(t, testShareContinue) }

func testShareContinue(t *testing.T, url string) {
	work := t.TempDir()
	one, two := newHome(t, work, url), newHome(t, work, url)
	one.env = append(one.env, "TERM_SESSION_ID=terminal-one")
	elsewhere := one
	elsewhere.dir = t.TempDir()
	first := strings.TrimSpace(one.run(t, "", 0, "new", "--id", "1111111111111111"))
	second := strings.TrimSpace(two.run(t, "", 0, "new", "--id", "2222222222222222"))
	elsewhere.run(t, "", 0, "new")
	one.run(t, user("here"), 0, "append", first)
	two.run(t, user("there"), 0, "append", second)
	if got := strings.TrimSpace(one.run(t, "", 0, "continue", "--print")); got != first {
		t.Errorf("the terminal goes on with %q, want %q", got, first)
	}
	if got := strings.TrimSpace(two.run(t, "", 0, "continue", "--print")); got != second {
		t.Errorf("without a note it is %q, want %q", got, second)
	}
	one.run(t, "", 0, "rm", first)
	if got := strings.TrimSpace(one.run(t, "", 0, "continue", "--print")); got != second {
		t.Errorf("when that is gone it is %q, want %q", got, second)
	}
	if got := one.run(t, "", 1, "continue"); !strings.Contains(got, "cambium run --resume 2222222222222222") {
		t.Errorf("what to do: %s", got)
	}
	pi := two.run(t, "", 6, "continue", "--agent", "pi")
	if !strings.Contains(pi, "cambium run") {
		t.Errorf("what to do: %s", pi)
	}
	three := strings.TrimSpace(two.run(t, "", 0, "new", "--agent", "pi", "--id", "33333333-3333-7333-8333-333333333333"))
	if got := two.run(t, "", 6, "resume", three); !strings.Contains(got, "`cambium sync && CAMBIUM_STORE= cambium resume 33333333-3333-7333-8333-333333333333`") {
		t.Errorf("what to do: %s", got)
	}
}

// TestShareDoctor: damage in a store is found, mended, and the mending taken back.
func TestShareDoctor(t *testing.T) { eachStore(t, testShareDoctor) }

func testShareDoctor(t *testing.T, url string) {
	h := newHome(t, t.TempDir(), url)
	const id = "0123456789abcdef"
	path := strings.TrimSpace(h.run(t, "", 0, "new", "--id", id))
	h.run(t, user("said before"), 0, "append", id)
	if got := h.run(t, "", 0, "doctor"); !strings.Contains(got, "nothing is wrong") {
		t.Errorf("of what is well: %s", got)
	}

	store := opened(t, url)
	log, err := store.Open(t.Context(), path, storage.Write)
	if err != nil {
		t.Fatal(err)
	}
	info, err := log.Stat(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	glued := `{"type":"custom","id":"aaaaaaaa","parentId":null,"customType":"x","timestamp":"2026-01-01T00:00:00.000Z"}` +
		`{"type":"custom","id":"bbbbbbbb","parentId":"aaaaaaaa","customType":"y","timestamp":"2026-01-01T00:00:00.000Z"}`
	if _, err := log.Append(t.Context(), info.Mark, [][]byte{[]byte(`{"type":"message","id":"cc`), []byte(glued)}); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	before := h.run(t, "", 0, "entries", id, "--raw")

	if got := h.run(t, "", 5, "doctor", id); !strings.Contains(got, "line 3: torn") || !strings.Contains(got, "line 4: glued") {
		t.Errorf("found %s", got)
	}
	if got := h.run(t, "", 0, "entries", id, "--raw"); got != before {
		t.Errorf("looking changed it:\n%s", got)
	}
	if got := h.run(t, "", 10, "doctor", "--all", "--fix"); !strings.Contains(got, "2 repaired") {
		t.Errorf("repaired %s", got)
	}
	h.run(t, "", 0, "doctor", id)
	if got := h.run(t, "", 0, "entries", id, "--raw"); strings.Count(got, "\n") != 4 || strings.Contains(got, `"cc`) {
		t.Errorf("it is\n%s", got)
	}
	side := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".cambium-damaged")
	if info, err := store.Stat(t.Context(), side); err != nil || info.Size == 0 {
		t.Errorf("what was torn: %+v, %v", info, err)
	}
	h.operation(t, "undo")
	if got := h.run(t, "", 0, "entries", id, "--raw"); got != before {
		t.Errorf("after undo:\n%s\nbefore:\n%s", got, before)
	}
}

// TestShareDoctorHead: a head that disagrees with the lines is found and mended.
func TestShareDoctorHead(t *testing.T) {
	server := shareServer(t)
	h := newHome(t, t.TempDir(), server.URL("postgres"))
	const id = "0123456789abcdef"
	h.run(t, "", 0, "new", "--id", id)
	h.run(t, user("said one")+user("said two"), 0, "append", id)
	for _, wreck := range []string{
		"update cambium.heads set lines = lines + 2, bytes = bytes + 7",
		"update cambium.heads set lines = lines - 1",
		"update cambium.heads set bytes = bytes - 1",
		"delete from cambium.lines where seq = 2",
	} {
		if err := server.Exec("postgres", wreck); err != nil {
			t.Fatal(err)
		}
		if got := h.run(t, "", 5, "doctor"); !strings.Contains(got, "head: the store says") {
			t.Errorf("%s: found %s", wreck, got)
		}
		if got := h.run(t, "", 10, "doctor", "--all", "--fix"); !strings.Contains(got, "repaired") {
			t.Errorf("%s: repaired %s", wreck, got)
		}
		h.has(t, id, "said two")
		h.run(t, user("and on"), 0, "append", id)
	}
}

// TestShareDoctorBlob: a blob that the store lacks is taken from this machine.
func TestShareDoctorBlob(t *testing.T) { eachStore(t, testShareDoctorBlob) }

func testShareDoctorBlob(t *testing.T, url string) {
	h := newHome(t, t.TempDir(), url)
	const id = "0123456789abcdef"
	h.run(t, "", 0, "new", "--agent", "omp", "--id", id)
	const hash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" // of "hello"
	h.run(t, `{"type":"message","message":{"role":"user","content":[{"type":"image","data":"blob:sha256:`+hash+`","mimeType":"image/png"}]}}`+"\n", 0, "append", id)
	if got := h.run(t, "", 5, "doctor", id); !strings.Contains(got, "noBlob") || !strings.Contains(got, "nowhere") {
		t.Errorf("found %s", got)
	}
	dir := filepath.Join(strings.TrimPrefix(h.env[0], "HOME="), ".omp", "agent", "blobs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, hash), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.run(t, "", 10, "doctor", id, "--fix")
	h.run(t, "", 0, "doctor", id)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	h.run(t, "", 0, "doctor", id)
}

// TestShareScreen: what can be done to a session on the screen is done to one of a
// store, and taken back.
func TestShareScreen(t *testing.T) { eachStore(t, testShareScreen) }

func testShareScreen(t *testing.T, url string) {
	work, other := t.TempDir(), t.TempDir()
	h := newHome(t, work, url)
	const id = "0123456789abcdef"
	path := strings.TrimSpace(h.run(t, "", 0, "new", "--id", id, "--name", "first name"))
	h.run(t, user("hello"), 0, "append", id)
	screen, done, err := cli.OpenScreen(t.Context(), cli.System{
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Env: h.env, Dir: h.dir, Now: time.Now, Random: rand.Reader,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for _, step := range []struct{ what, arg, told string }{
		{"remove", "", "moved 1 session to the trash"}, {"undo", "", "taken back"},
		{"rename", "second name", "renamed"}, {"undo", "", "taken back"},
		{"move", other, "moved to"}, {"undo", "", "taken back"},
		{"fork", "", "forked"}, {"remove", "", "moved 1 session to the trash"},
	} {
		if text, bad := screen.Do(step.what, path, step.arg); bad || !strings.Contains(text, step.told) {
			t.Errorf("%s %s: %s", step.what, step.arg, text)
		}
		_, err := opened(t, url).Stat(t.Context(), path)
		if gone := step.what == "remove" || step.what == "move"; gone != errors.Is(err, storage.ErrNotExist) {
			t.Errorf("after %s: %v", step.what, err)
		}
	}
}

// TestShareTendHeld: a session that somebody else holds is left alone if that is
// said; who has it open goes on with it where it is now.
func TestShareTendHeld(t *testing.T) { eachStore(t, testShareTendHeld) }

func testShareTendHeld(t *testing.T, url string) {
	work := t.TempDir()
	one, two := newHome(t, work, url), newHome(t, work, url)
	one.env = append(one.env, "USER=ada")
	const id = "0123456789abcdef"
	one.run(t, "", 0, "new", "--id", id)
	writer := one.start(t, "append", id)
	say := func(text string) {
		t.Helper()
		if _, err := io.WriteString(writer.in, user(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.out.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	say("said before")
	for _, args := range [][]string{{"rm", id}, {"move", id, t.TempDir()}, {"doctor", id, "--fix"}} {
		got := two.run(t, "", map[bool]int{true: 0, false: 6}[args[0] == "doctor"], append(args, "--if-busy", "fail")...)
		if args[0] != "doctor" && !strings.Contains(got, "ada@") {
			t.Errorf("%q: %s", args, got)
		}
	}
	if got := two.run(t, "", 0, "rm", id); !strings.Contains(got, "open in cambium on ada@") {
		t.Errorf("rm: %s", got)
	}
	say("said after")
	in := two.operation(t, "trash", "ls")
	if got := two.run(t, "", 6, "trash", "empty", in.UndoID); !strings.Contains(got, "in use") {
		t.Errorf("empty: %s", got)
	}
	if err := writer.in.Close(); err != nil {
		t.Fatal(err)
	}
	if code := <-writer.code; code != 0 {
		t.Errorf("the writer ended with %d", code)
	}
	two.operation(t, "undo")
	two.has(t, id, "said before")
	two.has(t, id, "said after")
}
