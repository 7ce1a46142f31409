package usage_test

import (
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/usage"
)

// amounts are JSON values as micro-dollars; "" for what is not believed.
var amounts = map[string]string{
	"0": "0", "-0": "0", "-0.0": "0", "0e9": "0", "0E+99999999999": "0", "1": "1000000", "1.5": "1500000", "0.000001": "1",
	"0.0000005": "0", "0.0000015": "2", "0.0000025": "2", "0.00000250001": "3", "0.0000004999": "0", "25e-7": "2", "35e-7": "4",
	"1e0": "1000000", "1E-6": "1", "1e-99999999999999999999": "0", "123.456789": "123456789", "0.1": "100000", "0.3": "300000",
	"1000000": "1000000000000", "1000000.0000001": "1000000000000", "1000001": "", "1e300": "", "1e99999999999999999999": "",
	"9999999999999999999999": "", "0.9999995": "1000000", "-1": "", "-1e-9": "", `"1"`: "", `"NaN"`: "", "true": "", "{}": "", "[]": "",
	"null": "", "": "", "1.": "", ".5": "", "1e": "", "1ex": "", "NaN": "", "Infinity": "", "1 ": "", "--1": "",
	"0." + strings.Repeat("0", 500) + "1": "0", strings.Repeat("9", 500): "", "1" + strings.Repeat("0", 400) + "e-400": "1000000",
}

// TestAmounts: what a JSON value is in micro-dollars.
func TestAmounts(t *testing.T) {
	for raw, want := range amounts {
		n, ok := usage.Scaled(raw, 6, 1e12)
		if got := big.NewInt(n).String(); ok != (want != "") || ok && got != want {
			t.Errorf("%.60q is %s, %v, want %q", raw, got, ok, want)
		}
	}
}

// FuzzAmounts compares amounts with what package math/big says.
func FuzzAmounts(f *testing.F) {
	for raw := range amounts {
		f.Add(raw)
	}
	million := big.NewRat(1_000_000, 1)
	f.Fuzz(func(t *testing.T, raw string) {
		n, ok := usage.Scaled(raw, 6, 1e12)
		if len(raw) > 60 || strings.ContainsAny(raw, "eE/_xXoObBpPnN ") || strings.HasPrefix(raw, "+") {
			return // big.Rat knows other spellings, and takes long for powers
		}
		exact, valid := new(big.Rat).SetString(raw)
		if !ok || !valid {
			return
		}
		far := exact.Sub(exact.Mul(exact, million), new(big.Rat).SetInt64(n))
		switch far.Abs(far).Cmp(big.NewRat(1, 2)) {
		case 1:
			t.Errorf("%q is %d, too far away", raw, n)
		case 0:
			if n%2 != 0 {
				t.Errorf("%q is %d, not the even one", raw, n)
			}
		}
	})
}

// TestDollars writes all digits.
func TestDollars(t *testing.T) {
	for m, want := range map[usage.Micros]string{0: "0.000000", 1: "0.000001", -1: "-0.000001", 1_500_000: "1.500000", -9223372036854775808: "-9223372036854.775808"} {
		if got := m.Dollars(); got != want {
			t.Errorf("%d is %s, want %s", int64(m), got, want)
		}
	}
}

// TestPrices rounds once, and holds what is too much at the end.
func TestPrices(t *testing.T) {
	p := usage.Price{Rates: usage.Rates{Input: 100_000, Output: 500_000, CacheRead: 10_000, CacheWrite: 125_000, CacheWriteLong: 200_000},
		Above: 100_000, Long: usage.Rates{Input: 500_000}}
	for _, test := range []struct {
		tokens usage.Tokens
		want   usage.Micros
	}{
		{usage.Tokens{Input: 1000, Output: 1000}, 600},
		{usage.Tokens{Input: 5}, 0}, // half a micro-dollar
		{usage.Tokens{Input: 15}, 2},
		{usage.Tokens{Input: 5, Output: 1}, 1},
		{usage.Tokens{CacheRead: 100, CacheWrite: 80, CacheWriteLong: 40}, 1 + 5 + 8},
		{usage.Tokens{CacheWrite: 80, CacheWriteLong: 100}, 16},
		{usage.Tokens{Input: 100_000}, 10_000},
		{usage.Tokens{Input: 100_001, Output: 1000}, 50_000},
		{usage.Tokens{Output: 1e12}, 500_000_000_000},
		{usage.Tokens{}, 0},
	} {
		if got := usage.Cost(p, test.tokens); got != test.want {
			t.Errorf("%+v costs %d, want %d", test.tokens, got, test.want)
		}
	}
	dear := usage.Price{Rates: usage.Rates{Input: 1 << 62, Output: 1 << 62}}
	if got := usage.Cost(dear, usage.Tokens{Input: 1e12, Output: 1e12}); got != 1e12 {
		t.Errorf("%d", got)
	}
}

// read returns the charges of some lines.
func read(t *testing.T, lines ...string) []usage.Charge {
	t.Helper()
	scanner := usage.NewScanner()
	r := usage.NewReader(scanner)
	for i, line := range lines {
		var e entry.Envelope
		if err := scanner.Scan(&e, []byte(line)); err != nil {
			t.Fatal(err)
		}
		r.Entry(&e, entry.At{Line: i + 2})
	}
	return r.Charges(nil, nil)
}

// some are lines with charges of all kinds.
var some = []string{
	`{"type":"message","id":"a","parentId":null,"timestamp":"2026-03-01T10:00:00.000Z","message":{"role":"assistant","provider":"p","model":"m","responseId":"r","timestamp":1772359200000,"stopReason":"aborted","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"cacheWrite1h":2,"reasoning":1,"cost":{"input":0.1,"output":0.2,"cacheRead":0.3}}}}`,
	`{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","model":"m","usage":{"input":-1,"output":"x","cost":{"total":1e300}}}}`,
	`{"type":"message","timestamp":"2026-03-01T10:00:00.000Z","message":{"role":"assistant","model":"m","usage":7}}`,
	`{"type":"message","id":"c","parentId":"b","timestamp":"1970-01-01T00:00:00.000Z","message":{"role":"toolResult","toolCallId":"t","toolName":"bash","isError":true,"details":{"durationMs":12}}}`,
	`{"type":"message","id":"d","parentId":"c","timestamp":"0001-01-01T00:00:00.000Z","message":{"role":"toolResult","toolName":"subagent","details":{"results":[{"usage":{"cost":0.5}},{},{"model":"x","usage":{"cost":0.25}}]}}}`,
	`{"type":"compaction","id":"e","parentId":"d","timestamp":"2026-03-01T10:00:00.000Z","usage":{"input":5}}`,
	`{"type":"usage","id":"f","parentId":"e","timestamp":"2026-03-01T10:00:00.000Z","kind":"title","usage":{"cost":{"total":0.125}}}`,
	`{"type":"message","id":"g","parentId":"f","timestamp":"2026-03-01T10:00:00.000Z","message":{"role":"user","content":"x"}}`,
}

// TestCharges: what is read of lines of all kinds.
func TestCharges(t *testing.T) {
	all := read(t, some...)
	var kinds []string
	var sum usage.Micros
	for i := range all {
		kinds, sum = append(kinds, all[i].Kind.String()), sum+all[i].Cost
	}
	if got, want := strings.Join(kinds, " "), "answer answer answer run subagent subagent compaction aside"; got != want || sum != 1_475_000 {
		t.Errorf("%s, %d, want %s", got, sum, want)
	}
	a, b, bash := all[0], all[1], all[3]
	if a.Cost != 600_000 || a.Origin != usage.Stored || !a.Aborted || a.Tokens != (usage.Tokens{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, CacheWriteLong: 2, Reasoning: 1}) {
		t.Errorf("%+v", a)
	}
	if !b.Absurd || b.Origin != usage.Unknown || b.Cost != 0 || b.Time != usage.NoTime || !all[2].Absurd {
		t.Errorf("%+v", b)
	}
	if bash.Took != 12 || !bash.Failed || bash.Tool != "bash" || bash.Line != 5 {
		t.Errorf("%+v", bash)
	}
	if all[7].Role != "title" || !all[4].Ran || all[5].Ran || all[5].Model != "x" {
		t.Errorf("%+v", all[4:])
	}
}

// TestPack: what is packed is the same unpacked, and what is cut short is refused.
func TestPack(t *testing.T) {
	all := read(t, some...)
	data := usage.Pack(all)
	got, ok := usage.Unpack(data, map[string]string{})
	if !ok || !reflect.DeepEqual(got, all) {
		t.Errorf("unpacked %+v, %v, want %+v", got, ok, all)
	}
	for n := range data {
		if _, ok := usage.Unpack(data[:n], nil); ok {
			t.Errorf("%d of %d bytes are taken", n, len(data))
		}
	}
	if got, ok := usage.Unpack(usage.Pack(nil), nil); !ok || len(got) != 0 {
		t.Errorf("nothing is %v, %v", got, ok)
	}
}

// FuzzUnpack: whatever is unpacked is what a reader could have read.
func FuzzUnpack(f *testing.F) {
	f.Add(usage.Pack(nil))
	f.Add([]byte{2, 0, 5, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		all, ok := usage.Unpack(data, nil)
		if !ok {
			return
		}
		again, ok := usage.Unpack(usage.Pack(all), nil)
		if !ok || len(again) != len(all) || len(all) > 0 && !reflect.DeepEqual(again, all) {
			t.Errorf("%+v becomes %+v, %v", all, again, ok)
		}
	})
}

// TestOrderDoesNotMatter: in whatever order sessions are found, each charge belongs to
// the same one.
func TestOrderDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	charges := read(t, some...)
	var first string
	for range 20 {
		ledgers := []usage.Ledger{
			{Path: "/1", ID: "a", Created: 5, Charges: charges[:4]},
			{Path: "/2", ID: "b", Parent: "a", Created: 1, Charges: charges[:6]},
			{Path: "/3", ID: "c", Parent: "/2", Created: 2, Charges: charges},
			{Path: "/4", ID: "c", Parent: "/2", Created: usage.NoTime, Charges: charges[2:]},
			{Path: "/5", ID: "d", Parent: "e", Created: 7, Charges: charges[5:]},
			{Path: "/6", ID: "e", Parent: "d", Created: 7, Charges: charges[4:]},
		}
		rng.Shuffle(len(ledgers), func(i, k int) { ledgers[i], ledgers[k] = ledgers[k], ledgers[i] })
		b := usage.NewBook(ledgers, nil)
		var owners strings.Builder
		for i := range b.Items {
			if it := &b.Items[i]; it.Of < 0 {
				owners.WriteString(b.Session(it).Path)
			}
		}
		if first == "" {
			first = owners.String()
		}
		if owners.String() != first || !strings.HasPrefix(first, "/1/1/1/1") {
			t.Fatalf("%s, and then %s", first, owners.String())
		}
	}
}
