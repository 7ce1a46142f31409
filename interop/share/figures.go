package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// figures are what benchmarks measured: by package and name, then by unit.
type figures map[string]map[string]float64

// processors ends the name of a benchmark.
var processors = regexp.MustCompile(`-\d+$`)

// read takes the figures out of what go test printed.
func (f figures) read(pack, out string) {
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		name := pack + "." + strings.TrimPrefix(processors.ReplaceAllString(words[0], ""), "Benchmark")
		units := map[string]float64{}
		for i := 2; i+1 < len(words); i += 2 {
			if v, err := strconv.ParseFloat(words[i], 64); err == nil {
				units[words[i+1]] = v
			}
		}
		f[name] = units
	}
}

// took is the time of one operation, in nanoseconds; 0 for what was not measured.
func (f figures) took(name string) float64 { return f[name]["ns/op"] }

// A row is one thing measured, and what was wanted of it.
type row struct {
	what, figure, wanted string
	measured, held       bool
}

// ms is a time for people.
func ms(ns float64) string {
	switch d := time.Duration(ns); {
	case d >= 10*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%.0f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.2f ms", ns/1e6)
}

// names of the packages.
const (
	pg = "storage/postgres."
	js = "storage/jetstream."
)

// rows makes the table, and reports whether all that was wanted held.
func (f figures) rows() (all []row, held bool) {
	held = true
	add := func(what, wanted string, ok func() (string, bool), needs ...string) {
		r := row{what: what, wanted: wanted}
		r.measured = true
		for _, name := range needs {
			r.measured = r.measured && f.took(name) > 0
		}
		if r.measured {
			r.figure, r.held = ok()
			held = held && r.held
		}
		all = append(all, r)
	}
	f.appends(add)
	for _, s := range []struct {
		name, bench string
		want        float64
	}{{"PostgreSQL", pg + "AppendAtOnce/", 2}, {"one JetStream server", js + "AppendAtOnce/R1/", 1.3}, {"three JetStream servers", js + "AppendAtOnce/R3/", 3}} {
		add("sixteen sessions at once, "+s.name, fmt.Sprintf("%.2g × one", s.want), func() (string, bool) {
			times := f.took(s.bench+"1") / f.took(s.bench+"16")
			return fmt.Sprintf("%.1f × one (%s a line)", times, ms(f.took(s.bench+"16"))), times >= s.want
		}, s.bench+"1", s.bench+"16")
		add("their waits, "+s.name, "no session's median 10 × that of all", func() (string, bool) {
			u := f[s.bench+"16"]
			return fmt.Sprintf("the slowest session %.2f ×; %s", u["slowest-session/median"], f.waits(s.bench+"16")),
				u["slowest-session/median"] > 0 && u["slowest-session/median"] <= 10
		}, s.bench+"16")
		for _, writers := range []string{"16", "1"} {
			add("waits of the server alone, "+map[string]string{"16": "sixteen writers", "1": "one writer"}[writers]+", "+s.name, "", func() (string, bool) {
				return f.waits(s.bench + "bare/" + writers), true
			}, s.bench+"bare/"+writers)
		}
	}
	f.reading(add)
	f.syncing(add)
	return all, held
}

// waits says how long single appends took.
func (f figures) waits(name string) string {
	u := f[name]
	took := func(unit string) string { return ms(1000 * u["µs-"+unit]) }
	return fmt.Sprintf("median %s, 99 of 100 under %s, 999 of 1000 under %s, longest %s (%.0f ×)",
		took("median"), took("p99"), took("p99.9"), took("longest"), u["longest-wait/median"])
}

// adder adds a row for figures that were measured.
type adder = func(what, wanted string, ok func() (string, bool), needs ...string)

// appends compares appends by the size of the session, and with one text.
func (f figures) appends(add adder) {
	text := pg + "OneText/100MB"
	add("one text in one row: append of 600 bytes at 1, 10, 100 MB", "", func() (string, bool) {
		return fmt.Sprintf("%s, %s, %s", ms(f.took(pg+"OneText/1MB")), ms(f.took(pg+"OneText/10MB")), ms(f.took(text))), true
	}, text)
	for _, s := range []struct{ name, bench string }{
		{"PostgreSQL", pg + "Append/"}, {"one JetStream server", js + "Append/R1/"}, {"three JetStream servers", js + "Append/R3/"},
	} {
		add("append of 600 bytes at 1, 10, 100 MB, "+s.name, "flat (at most 2 ×)", func() (string, bool) {
			small, mid, large := f.took(s.bench+"1MB"), f.took(s.bench+"10MB"), f.took(s.bench+"100MB")
			return fmt.Sprintf("%s, %s, %s", ms(small), ms(mid), ms(large)), large <= 2*small
		}, s.bench+"1MB", s.bench+"100MB")
		add("beside one text at 100 MB, "+s.name, "100 ×", func() (string, bool) {
			times := f.took(text) / f.took(s.bench+"100MB")
			return fmt.Sprintf("%.0f ×", times), times >= 100
		}, text, s.bench+"100MB")
	}
}

// reading compares opening with what is read, and says what a listing takes.
func (f figures) reading(add adder) {
	for _, s := range []struct{ name, session, raw string }{
		{"PostgreSQL", pg + "Read/session", pg + "Read/raw"}, {"JetStream", js + "Open/R1/session", js + "Open/R1/raw"},
	} {
		add("opening a session of 110 MB, "+s.name, "at most 3 × its rows read raw", func() (string, bool) {
			times := f.took(s.session) / f.took(s.raw)
			return fmt.Sprintf("%s, %.2f ×", ms(f.took(s.session)), times), times <= 3
		}, s.session, s.raw)
	}
	for _, s := range []struct{ name, bench string }{{"PostgreSQL", pg + "List"}, {"JetStream", js + "List/warm"}} {
		add("listing 10,000 sessions, warm, "+s.name, "under 50 ms", func() (string, bool) {
			return ms(f.took(s.bench)), f.took(s.bench) < 50e6
		}, s.bench)
	}
}

// syncing says what bringing a home into a store takes.
func (f figures) syncing(add adder) {
	first := "exchange.SyncStore/postgres/first"
	add("sync of 2,000 sessions (446 MB), PostgreSQL", "half the speed of a raw copy", func() (string, bool) {
		u := f[first]
		return fmt.Sprintf("%s, %.0f MB/s, %.2f of a raw copy", ms(u["ns/op"]), u["MB/s"], u["of-raw"]), u["of-raw"] >= 0.5
	}, first)
	add("the same, JetStream", "stated", func() (string, bool) {
		u := f["exchange.SyncStore/jetstream/first"]
		return fmt.Sprintf("%s, %.0f MB/s", ms(u["ns/op"]), u["MB/s"]), true
	}, "exchange.SyncStore/jetstream/first")
	for _, s := range []struct{ name, bench string }{
		{"PostgreSQL", "exchange.SyncStore/postgres/second"}, {"JetStream", "exchange.SyncStore/jetstream/second"},
	} {
		add("a second run, "+s.name, "under a second", func() (string, bool) { return ms(f.took(s.bench)), f.took(s.bench) < 1e9 }, s.bench)
	}
}

// table draws the rows.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| what | measured | wanted | |\n| --- | --- | --- | --- |\n")
	for _, r := range rows {
		sign := "yes"
		switch {
		case !r.measured:
			r.figure, sign = "not measured", ""
		case r.wanted == "" || r.wanted == "stated":
			sign = ""
		case !r.held:
			sign = "**no**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.what, r.figure, r.wanted, sign)
	}
	return b.String()
}
