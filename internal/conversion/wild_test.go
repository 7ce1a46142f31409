package conversion_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/session"
)

// TestWild takes sessions abroad and home that hold what no program writes on
// purpose: ids twice or not at all, cycles, second headers.
func TestWild(t *testing.T) {
	for _, name := range sessiongen.Dialects() {
		rules, _ := spelling.ByName(string(name))
		for seed := range uint64(30) {
			s := sessiongen.Random(rand.New(rand.NewPCG(seed, 11)), sessiongen.Options{Dialect: name, Version: int(seed % 4)})
			f := file{data: s.Bytes, rules: rules, path: "/wild.jsonl"}
			if _, _, _, err := session.ParseEntries(f.data); err != nil {
				continue
			}
			for _, other := range spelling.All() {
				if other.Name == rules.Name {
					continue
				}
				abroad, _ := f.to(t, other.Name, spelling.Fresh{})
				checkFile(t, abroad)
				back, _ := abroad.to(t, rules.Name, spelling.Fresh{})
				sameLines(t, f, abroad, back)
				if t.Failed() {
					t.Fatalf("%s, seed %d, to %s", name, seed, other.Name)
				}
			}
		}
	}
}

// FuzzRestore: whatever a session says that it was, converting it ends, and
// gives whole entries.
func FuzzRestore(f *testing.F) {
	f.Add(`{"converted":{"from":"pi","was":[{"path":["message","content"],"value":[1]}]}}`, `{"role":"user","content":"x"}`)
	f.Add(`{"converted":{"from":"omp","was":[{"path":["message",0,"a"]},{"path":["id"],"cut":9}]}}`, `[]`)
	f.Add(`{"converted":{"from":"xcsh","whole":{"type":"message"}},"full":[{"path":["message"],"ref":"blob:sha256:00"}]}`, `{"role":"pythonExecution","code":1}`)
	f.Fuzz(func(t *testing.T, own, message string) {
		rules, _ := spelling.ByName("xcsh")
		data := head + "\n" + `{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":` + message + `,"cambium":` + own + "}\n"
		_, list, _, err := session.ParseEntries([]byte(data))
		if err != nil || list.Len() != 1 {
			return
		}
		x := file{data: []byte(data), rules: rules, path: "/fuzz.jsonl"}
		for _, to := range spelling.All() {
			out, _ := x.to(t, to.Name, spelling.Fresh{})
			if _, _, damage, err := session.ParseEntries(out.data); err != nil || damage.Unreadable() > 0 {
				t.Errorf("to %s: %v, %v\n%s", to.Name, err, damage, out.data)
			}
		}
	})
}

// TestForgedRecords: what a line says that it was takes memory in proportion to its bytes to
// take back, however many places it names, and however deep they are.
func TestForgedRecords(t *testing.T) {
	const many = 20_000
	repeat := func(one string) string {
		var all strings.Builder
		for i := range many {
			fmt.Fprintf(&all, "%s"+one, strings.Repeat(",", min(i, 1)), i)
		}
		return all.String()
	}
	deep := func(open, shut string) string {
		return strings.Repeat(open, 4000) + `"` + strings.Repeat("x", 1<<20) + `"` + strings.Repeat(shut, 4000)
	}
	path := strings.Repeat(`"a",`, 4000) + `"a"`
	for name, line := range map[string]string{
		"members":    `"message":{` + repeat(`"k%d":1`) + `},"cambium":{"converted":{"from":"pi","was":[` + repeat(`{"path":["message","k%d"],"value":2}`) + `]}}`,
		"new ones":   `"message":{},"cambium":{"converted":{"from":"pi","was":[` + repeat(`{"path":["message","k%d"],"value":2}`) + `]}}`,
		"elements":   `"message":{"content":[` + repeat(`%d`) + `]},"cambium":{"converted":{"from":"pi","was":[` + repeat(`{"path":["message","content",%d],"value":2}`) + `]}}`,
		"over again": `"message":{},"cambium":{"converted":{"from":"pi","was":[` + repeat(`{"path":["message"],"value":%d}`) + `]}}`,
		"deep":       `"message":` + deep(`{"a":`, `}`) + `,"cambium":{"converted":{"from":"pi","was":[{"path":["message",` + path + `],"value":1}]}}`,
		"cut":        `"message":{},"cambium":{"full":[` + repeat(`{"path":["message","k%d"],"ref":"blob:sha256:00"}`) + `]}`,
	} {
		rules, _ := spelling.ByName("omp")
		data := head + "\n" + `{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z",` + line + "}\n"
		x := file{data: []byte(data), rules: rules, path: "/forged.jsonl"}
		for _, to := range spelling.All() {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			out, _ := x.to(t, to.Name, spelling.Fresh{})
			runtime.ReadMemStats(&after)
			if took, most := after.TotalAlloc-before.TotalAlloc, uint64(400*len(data)); took > most {
				t.Errorf("%s, to %s: %d bytes took %d MiB", name, to.Name, len(data), took>>20)
			}
			if _, _, damage, err := session.ParseEntries(out.data); err != nil || damage.Unreadable() > 0 {
				t.Errorf("%s, to %s: %v, %v", name, to.Name, err, damage)
			}
		}
	}
}
