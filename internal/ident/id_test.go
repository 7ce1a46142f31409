package ident_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/internal/ident"
	"github.com/cambium-dev/cambium/internal/places"
	"pgregory.net/rapid"
)

func TestFileName(t *testing.T) {
	tests := []struct{ ts, id, want string }{
		{"2026-02-16T10:20:30.000Z", "1f9d2a6b9c0d1234", "2026-02-16T10-20-30-000Z_1f9d2a6b9c0d1234.jsonl"},
		{"2026-02-16T10:20:30.000Z", "my_own_id", "2026-02-16T10-20-30-000Z_my_own_id.jsonl"},
		{"+275760-09-13T00:00:00.000Z", "x", "+275760-09-13T00-00-00-000Z_x.jsonl"},
	}
	for _, test := range tests {
		got := ident.FileName(test.ts, test.id)
		if got != test.want {
			t.Errorf("FileName(%q, %q) = %q, want %q", test.ts, test.id, got, test.want)
		}
		ts, id, ok := ident.ParseFileName(got)
		if !ok || ts != test.ts || id != test.id {
			t.Errorf("ParseFileName(%q) = %q, %q, %v, want what made it", got, ts, id, ok)
		}
	}
}

func TestParseFileNameRefuses(t *testing.T) {
	for base, id := range map[string]string{
		"":                                      "",
		"s.jsonl":                               "s",
		"2026-02-16T10-20-30-000Z.jsonl":        "2026-02-16T10-20-30-000Z",
		"2026-02-16T10-20-30-000Z_.jsonl":       "",
		"2026-02-16T10-20-30-000Z_a.json":       "a.json",
		"2026-02-16T10-20-30_a.jsonl":           "a",
		"2026-02-16T10:20:30.000Z_a.jsonl":      "a",
		"2026-02-16X10-20-30-000Z_a_b.jsonl":    "b",
		"++26-02-16T10-20-30-000Z_a.jsonl":      "a",
		".2026-02-16T10-20-30-000Z_a.jsonl.tmp": "a.jsonl.tmp",
	} {
		if ts, got, ok := ident.ParseFileName(base); ok || ts != "" || got != "" {
			t.Errorf("ParseFileName(%q) = %q, %q, %v, want a refusal", base, ts, got, ok)
		}
		if got := ident.FileID(base); got != id {
			t.Errorf("FileID(%q) = %q, want %q", base, got, id)
		}
	}
	if got, want := ident.FileID("2026-02-16T10-20-30-000Z_a_b.jsonl"), "a_b"; got != want {
		t.Errorf("FileID = %q, want %q", got, want)
	}
}

func TestArtifacts(t *testing.T) {
	for path, want := range map[string]string{
		"/s/..jsonl": "", "/s/...jsonl": "", "..jsonl": "", "/s/....jsonl": "/s/...",
		"/s/a.jsonl": "/s/a", "/s/a.json": "", "/s/.jsonl": "", ".jsonl": "", `C:\s\a.jsonl`: `C:\s\a`,
	} {
		if got := ident.ArtifactDir(path); got != want {
			t.Errorf("ArtifactDir(%q) = %q, want %q", path, got, want)
		}
	}
	for tool, want := range map[string]string{
		"bash":                    "7.bash.log",
		"mcp__x-y":                "7.mcp__x-y.log",
		"../../etc/passwd":        "7.etc_passwd.log",
		"":                        "7.tool.log",
		"…":                       "7.tool.log",
		"a…b c":                   "7.a_b_c.log",
		"a.log":                   "7.a_log.log",
		strings.Repeat("a", 70):   "7." + strings.Repeat("a", 64) + ".log",
		strings.Repeat("_", 70):   "7.tool.log",
		"_" + "bash" + "_":        "7.bash.log",
		strings.Repeat("é", 1000): "7.tool.log",
	} {
		if got := ident.ArtifactName(7, tool); got != want {
			t.Errorf("ArtifactName(7, %q) = %q, want %q", tool, got, want)
		}
	}
	tests := []struct {
		names []string
		want  int
	}{
		{nil, 0},
		{[]string{"0.bash.log"}, 1},
		{[]string{"2.bash.log", "10.read.log", "9.x.log"}, 11},
		{[]string{"5.log", "6.bash.txt", "x.bash.log", "-1.a.log", "7a.b.log", "agent.jsonl", "+8.a.log"}, 0},
		{[]string{"3.a.b.log", "4..log"}, 5},
		{[]string{"99999999999999999999999.a.log", "1.a.log"}, 2},
	}
	for _, test := range tests {
		if got := ident.NextArtifact(test.names); got != test.want {
			t.Errorf("NextArtifact(%q) = %d, want %d", test.names, got, test.want)
		}
	}
	names := []string{"10.a.log", "1.b.log", "1.c.log"}
	if got := ident.FindArtifact(names, 1); got != "1.b.log" {
		t.Errorf("FindArtifact(1) = %q, want 1.b.log", got)
	}
	if got := ident.FindArtifact(names, 2); got != "" {
		t.Errorf("FindArtifact(2) = %q, want none", got)
	}
}

func TestIDs(t *testing.T) {
	const pi = "Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.', and start and end with an alphanumeric character"
	tests := []struct {
		id    string
		valid bool
		text  string // of CheckID; empty: accepted
	}{
		{"a", true, ""},
		{"my_id.2-x", true, ""},
		{"0198c5f4-1111-7222-8333-444455556666", true, ""},
		{strings.Repeat("a", 128), true, ""},
		{strings.Repeat("a", 129), false, `use session id "` + strings.Repeat("a", 40) + `…": longer than 128 characters`},
		{"", false, pi},
		{"a.", true, pi},
		{"a_", true, pi},
		{".a", false, pi},
		{"-a", false, pi},
		{"..", false, pi},
		{"a/b", false, pi},
		{`a\b`, false, pi},
		{"a b", false, pi},
		{"a\x00", false, pi},
		{"ü", false, pi},
		{"aüb", false, pi},
		{"nul", false, `use session id "nul": a name that Windows keeps for a device`},
		{"COM1.x", false, `use session id "COM1.x": a name that Windows keeps for a device`},
		{"com10", true, ""},
		{"console", true, ""},
	}
	for _, test := range tests {
		if got := ident.ValidID(test.id); got != test.valid {
			t.Errorf("ValidID(%q) = %v, want %v", test.id, got, test.valid)
		}
		err := ident.CheckID(test.id)
		text := ""
		if err != nil {
			text = err.Error()
			if e, ok := errors.AsType[*ident.IDError](err); !ok || e.ID != test.id {
				t.Errorf("CheckID(%q) = %#v, want an *IDError with the id", test.id, err)
			}
		}
		if text != test.text {
			t.Errorf("CheckID(%q) = %q, want %q", test.id, text, test.text)
		}
	}
}

func TestSnowflake(t *testing.T) {
	tests := []struct {
		ms   int64
		seq  uint32
		want string
	}{
		{1420070400000, 0, "0000000000000000"},
		{1420070400001, 1, "0000000000400001"},
		{1767323045123, 4194303, "143677b740ffffff"},
		{1767323045123, 5, "143677b740c00005"},
	}
	for _, test := range tests {
		got := ident.Snowflake(test.ms, test.seq)
		if got != test.want {
			t.Errorf("Snowflake(%d, %d) = %q, want %q", test.ms, test.seq, got, test.want)
		}
		ms, seq, ok := ident.ParseSnowflake(got)
		if !ok || ms != test.ms || seq != test.seq {
			t.Errorf("ParseSnowflake(%q) = %d, %d, %v, want %d, %d", got, ms, seq, ok, test.ms, test.seq)
		}
	}
	if got := ident.Snowflake(1420070400000, 1<<22); got != "0000000000000000" {
		t.Errorf("a sequence beyond its bits gives %q, want it to wrap", got)
	}
	for _, bad := range []string{"", "0", "143677b740c0000G", "143677B740c00005", "+43677b740c00005", "143677b740c000050"} {
		if _, _, ok := ident.ParseSnowflake(bad); ok {
			t.Errorf("ParseSnowflake(%q) accepted it", bad)
		}
	}
}

// source is repeatable randomness.
func source() io.Reader { return rand.NewChaCha8([32]byte{1}) }

func TestMintSession(t *testing.T) {
	ms := int64(1767323045123)
	mint := ident.NewMint(func() time.Time { return time.UnixMilli(ms) }, source())
	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	last := ""
	for i := range 3000 {
		id, err := mint.Session([]string{"pi", "omp"}[i%2])
		if err != nil {
			t.Fatal(err)
		}
		if !uuid.MatchString(id) || !ident.ValidID(id) {
			t.Fatalf("session id %q is no UUIDv7", id)
		}
		if id <= last {
			t.Fatalf("session id %q does not sort behind %q", id, last)
		}
		last = id
		switch { // the clock goes back, stands, goes on
		case i == 1000:
			ms -= 5
		case i > 2000:
			ms++
		}
	}
	var seqs []uint32
	for _, dialect := range []string{"cambium", "xcsh"} {
		id, err := mint.Session(dialect)
		if err != nil {
			t.Fatal(err)
		}
		got, seq, ok := ident.ParseSnowflake(id)
		if !ok || got != ms {
			t.Errorf("session id %q of %s holds %d, want %d", id, dialect, got, ms)
		}
		seqs = append(seqs, seq)
	}
	if seqs[1] != (seqs[0]+1)%(1<<22) {
		t.Errorf("sequence numbers %d do not follow each other", seqs)
	}
}

func TestMintWithoutRandomness(t *testing.T) {
	mint := ident.NewMint(func() time.Time { return time.UnixMilli(0) }, strings.NewReader(""))
	for _, dialect := range places.Names() {
		if id, err := mint.Session(dialect); err == nil || !errors.Is(err, io.EOF) {
			t.Errorf("Session(%s) = %q, %v, want io.EOF", dialect, id, err)
		}
	}
	if id, err := mint.Entry(nil); !errors.Is(err, io.EOF) {
		t.Errorf("Entry = %q, %v, want io.EOF", id, err)
	}
}

func TestUUIDs(t *testing.T) {
	if got, want := ident.UUIDv7(0x0123456789ab, [10]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), "01234567-89ab-7fff-bfff-ffffffffffff"; got != want {
		t.Errorf("UUIDv7 = %q, want %q", got, want)
	}
	if got, want := ident.UUIDv4([16]byte{}), "00000000-0000-4000-8000-000000000000"; got != want {
		t.Errorf("UUIDv4 = %q, want %q", got, want)
	}
}

func TestEntryID(t *testing.T) {
	id, err := ident.EntryID(bytes.NewReader([]byte{0xde, 0xad, 0xbe, 0xef}), nil)
	if err != nil || id != "deadbeef" {
		t.Errorf("EntryID = %q, %v, want deadbeef", id, err)
	}
	id, err = ident.EntryID(bytes.NewReader([]byte{0, 0, 0, 1, 0, 0, 0, 2}), func(id string) bool { return id == "00000001" })
	if err != nil || id != "00000002" {
		t.Errorf("EntryID beside a taken one = %q, %v, want 00000002", id, err)
	}
	id, err = ident.EntryID(source(), func(id string) bool { return len(id) == 8 })
	if err != nil || len(id) != 36 {
		t.Errorf("EntryID with every short one taken = %q, %v, want a UUID", id, err)
	}
	if id, err = ident.EntryID(source(), func(string) bool { return true }); err == nil {
		t.Errorf("EntryID with everything taken = %q, want an error", id)
	}
}

func TestFileNameProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9._-]{0,40}`).Draw(t, "id")
		ms := rapid.Int64Range(0, 253402300799999).Draw(t, "ms")
		ts := time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
		base := ident.FileName(ts, id)
		gotTS, gotID, ok := ident.ParseFileName(base)
		if !ok || gotTS != ts || gotID != id {
			t.Fatalf("ParseFileName(%q) = %q, %q, %v, want %q, %q", base, gotTS, gotID, ok, ts, id)
		}
		tool := rapid.String().Draw(t, "tool")
		n := rapid.IntRange(0, 1000).Draw(t, "n")
		if got := ident.NextArtifact([]string{ident.ArtifactName(n, tool)}); got != n+1 {
			t.Fatalf("NextArtifact of artifact %d by %q = %d", n, tool, got)
		}
		random := rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "random")
		if got, err := ident.EntryID(bytes.NewReader(random), nil); err != nil || got != hex.EncodeToString(random) {
			t.Fatalf("EntryID = %q, %v", got, err)
		}
	})
}
