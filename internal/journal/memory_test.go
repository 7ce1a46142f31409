package journal

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/powers"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A notebook is a memory of one log.
type notebook struct {
	mu   sync.Mutex
	mark storage.Mark
	data []byte
	kept int   // times
	err  error // of all it is asked
}

func (n *notebook) Recall(context.Context, string) (storage.Mark, []byte, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.mark, n.data, n.err
}

func (n *notebook) Remember(_ context.Context, _ string, mark storage.Mark, data []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.mark, n.data = mark, bytes.Clone(data)
	n.kept++
	return n.err
}

func remembering(name string, m Memory) Options {
	return Options{Store: local.New(local.Options{}), Name: name, Sync: SyncNone, Memory: m, MemoryFrom: 1}
}

// tell is all that an open journal says, its lines included.
func tell(t interface{ Fatal(...any) }, o Options) []string {
	j, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	all := append(describe(j.p), fmt.Sprintf("%v %+v %d %v", j.Found(), j.Header(), j.Size(), j.Mark()))
	list := j.List()
	for i := range list.Len() {
		line, err := list.Load(i)
		id, _ := list.ID(i)
		all = append(all, fmt.Sprintf("%s %v %d", line, err, list.Find(id)))
	}
	links := tree.New(list, j.Gaps())
	all = append(all, fmt.Sprintf("%v %v %+v", links.Path(links.Leaf(), tree.Healed), links.Tips(), links.Heals()))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// rest gives a file a time of change that lies so long ago.
func rest(t interface{ Fatal(...any) }, name string, ago time.Duration) {
	at := time.Now().Add(-ago)
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
}

// recalls reports whether the log is known without reading it all.
func recalls(t interface{ Fatal(...any) }, o Options) bool {
	log, err := o.Store.Open(context.Background(), o.Name, storage.Read)
	if err != nil {
		t.Fatal(err)
	}
	sec, size, mark, err := powers.OpenSection(context.Background(), log)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := (&Journal{opt: o, log: log}).recall(context.Background(), sec, size, mark)
	if err := errors.Join(sec.Close(), log.Close()); err != nil {
		t.Fatal(err)
	}
	return p != nil
}

// What is remembered of a log never shows: whatever became of the log since, it
// opens as if it were read.
func TestOpenedThroughTheMemoryAsRead(t *testing.T) {
	dir := t.TempDir()
	recalled := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		session := func() []byte {
			s := sessiongen.Random(rng, sessiongen.Options{
				Dialect: rapid.SampledFrom(sessiongen.Dialects()).Draw(t, "dialect"),
				Version: rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "version"),
				Entries: rapid.SampledFrom([]int{0, 3, 40, 120}).Draw(t, "entries"),
			}).Bytes
			for range rapid.IntRange(0, 2).Draw(t, "damages") {
				s, _ = sessiongen.Damage(rng, s)
			}
			return s
		}
		name := filepath.Join(dir, "s.jsonl")
		_ = os.Remove(name) // of the time before
		write := func(data []byte) {
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		data := session()
		write(data)
		rest(t, name, time.Hour)
		memory := &notebook{}
		o := remembering(name, memory)
		plain := o
		plain.Memory = nil
		o.Write = rapid.Bool().Draw(t, "write")
		same := func(when string) {
			if diff := cmp.Diff(tell(t, plain), tell(t, o)); diff != "" {
				t.Fatalf("%s (-read +recalled):\n%s", when, diff)
			}
		}
		same("at first")
		same("unchanged")
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			change := rapid.SampledFrom([]string{"grown", "grown", "cut", "rewritten", "replaced", "edited", "touched"}).Draw(t, "change")
			if change == "edited" && len(data) > witnessHead+witnessTail {
				change = "rewritten" // see TestEditedBetween
			}
			before := len(data)
			switch change {
			case "grown":
				data = append(data, session()...)
			case "cut":
				data = data[:rng.IntN(len(data)+1)]
			case "rewritten", "replaced":
				data = session()
			case "edited":
				data = bytes.Clone(data)
				for range 1 + rng.IntN(3) {
					if len(data) > 0 {
						data[rng.IntN(len(data))] = `"{}0a`[rng.IntN(5)]
					}
				}
			}
			switch {
			case change == "replaced":
				_ = os.Remove(name) // it was there
				write(data)
			case change == "grown":
				f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0o600)
				if err != nil {
					t.Fatal(err)
				}
				_, err = f.Write(data[before:])
				if err := errors.Join(err, f.Close()); err != nil {
					t.Fatal(err)
				}
			case change != "touched":
				write(data)
			}
			if rapid.Bool().Draw(t, "rested") {
				rest(t, name, 30*time.Minute)
			}
			if recalls(t, o) {
				recalled[change]++
			}
			same(change)
			same("after that")
		}
	})
	if recalled["grown"] == 0 {
		t.Error("nothing was ever recalled of a log that grew")
	}
}

// conversation is a plain session of n entries.
func conversation(n int) []byte {
	b := []byte(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n")
	parent := "null"
	for i := range n {
		id := fmt.Sprintf(`"%08x"`, i)
		b = fmt.Appendf(b, `{"type":"message","id":%s,"parentId":%s,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"text number %d"}}`+"\n", id, parent, i)
		parent = id
	}
	return b
}

// known writes a session and has it remembered.
func known(t *testing.T, data []byte) (Options, *notebook) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	rest(t, name, time.Hour)
	memory := &notebook{}
	o := remembering(name, memory)
	tell(t, o)
	if memory.kept != 1 || !recalls(t, o) {
		t.Fatalf("kept %d times, recalled: %v", memory.kept, recalls(t, o))
	}
	return o, memory
}

// A log that is as it was, or only longer, is not read again; any other is.
func TestWhenALogIsRecalled(t *testing.T) {
	data := conversation(1000)
	put := func(at int64, text string) func(*testing.T, string) {
		return func(t *testing.T, name string) {
			f, err := os.OpenFile(name, os.O_WRONLY, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.WriteAt([]byte(text), at)
			if err := errors.Join(err, f.Close()); err != nil {
				t.Fatal(err)
			}
		}
	}
	end := int64(len(data))
	for _, test := range []struct {
		name   string
		change func(t *testing.T, name string)
		want   bool
	}{
		{"untouched", func(*testing.T, string) {}, true},
		{"grown", put(end, `{"type":"message","id":"x","parentId":null,"message":{"role":"user","content":"more"}}`+"\n"), true},
		{"grown by half a line", put(end, `{"type":"message"`), true},
		{"touched", func(t *testing.T, name string) { rest(t, name, time.Minute) }, false},
		{"edited", put(end/3, "#"), false},
		{"grown and edited in the first line", func(t *testing.T, name string) { put(end, "{}\n")(t, name); put(40, "#")(t, name) }, false},
		{"grown and edited in the last lines", func(t *testing.T, name string) { put(end, "{}\n")(t, name); put(end-200, "#")(t, name) }, false},
		{"edited in the first line, its time put back", func(t *testing.T, name string) {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			put(40, "#")(t, name)
			if err := os.Chtimes(name, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"longer by rewriting in place", func(t *testing.T, name string) {
			if err := os.WriteFile(name, append(data[:500:500], append([]byte(" \n"), data[500:]...)...), 0o600); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"shorter", func(t *testing.T, name string) {
			if err := os.Truncate(name, end-20); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"another file with the same bytes", func(t *testing.T, name string) {
			if err := errors.Join(os.Rename(name, name+".old"), os.WriteFile(name, data, 0o600)); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			o, _ := known(t, data)
			test.change(t, o.Name)
			if got := recalls(t, o); got != test.want {
				t.Errorf("recalled: %v, want %v", got, test.want)
			}
			plain := o
			plain.Memory = nil
			if diff := cmp.Diff(tell(t, plain), tell(t, o)); diff != "" {
				t.Errorf("-read +recalled:\n%s", diff)
			}
		})
	}
}

// A log that grew and was edited in place before that, where the witness does not
// look, is taken for one that grew, as it is by a journal that has it open. What
// is said in it is still what the log holds: bodies are not remembered.
func TestEditedBetween(t *testing.T) {
	data := conversation(1000)
	o, _ := known(t, data)
	at := bytes.Index(data, []byte("text number 600"))
	data = append(bytes.Replace(data, []byte("text number 600"), []byte("word number 600"), 1), "{\"type\":\"custom\",\"id\":\"x\",\"parentId\":null}\n"...)
	if err := os.WriteFile(o.Name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if !recalls(t, o) {
		t.Fatalf("the witness looks at byte %d", at)
	}
	plain := o
	plain.Memory = nil
	if diff := cmp.Diff(tell(t, plain), tell(t, o)); diff != "" {
		t.Errorf("-read +recalled:\n%s", diff)
	}
}

// What does not stand still is not remembered, nor is what others would read
// differently when it goes on, nor what is small.
func TestWhatIsNotRemembered(t *testing.T) {
	data := conversation(50)
	for _, test := range []struct {
		name string
		data []byte
		ago  time.Duration
		from int64
	}{
		{"just written", data, 0, 1},
		{"of a time to come", data, -time.Hour, 1},
		{"small", data, time.Hour, 0},
		{"in the middle of an object", append(bytes.Clone(data), "{\"type\":\"message\",\n\"id\":\"x\",\n"...), time.Hour, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "s.jsonl")
			if err := os.WriteFile(name, test.data, 0o600); err != nil {
				t.Fatal(err)
			}
			rest(t, name, test.ago)
			memory := &notebook{}
			o := remembering(name, memory)
			o.MemoryFrom = test.from
			tell(t, o)
			if memory.kept != 0 {
				t.Errorf("kept %d times", memory.kept)
			}
		})
	}
}

// A memo that was damaged, is of another log or of another program's version, or
// a memory that fails, costs only the reading.
func TestWrongMemos(t *testing.T) {
	o, memory := known(t, append(conversation(20), "not an entry\n"...))
	other, otherMemory := known(t, conversation(21))
	plain := o
	plain.Memory = nil
	want := tell(t, plain)
	right := bytes.Clone(memory.data)
	for i := range right {
		memory.data = bytes.Clone(right)
		memory.data[i] ^= 1 << (i % 8)
		if recalls(t, o) {
			t.Fatalf("byte %d is wrong and was believed", i)
		}
	}
	for n := range right {
		memory.data = right[:n]
		if recalls(t, o) {
			t.Fatalf("%d bytes of %d were believed", n, len(right))
		}
	}
	memory.data = otherMemory.data
	if diff := cmp.Diff(want, tell(t, o)); diff != "" {
		t.Errorf("with the memo of %s (-read +recalled):\n%s", other.Name, diff)
	}
	memory.data, memory.err = right, errors.New("no memory today")
	if diff := cmp.Diff(want, tell(t, o)); diff != "" {
		t.Errorf("with a memory that fails (-read +recalled):\n%s", diff)
	}
}

// sealed makes a memo of anything, with a checksum that is right.
func sealed(body []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(memoVersion), checksum(body))
	return append(b, body...)
}

// Whatever a memo says behind a right checksum, nobody trips over it, and every
// entry that it tells of can be asked for.
func FuzzMemo(f *testing.F) {
	name := filepath.Join(f.TempDir(), "s.jsonl")
	data := append(conversation(6), "not an entry\n\x00\x00\n{\"type\":\"session\",\"id\":\"two\"}\n{\"id\":\"g\",\"parentId\":\"00000001\",}\n"...)
	if err := os.WriteFile(name, data, 0o600); err != nil {
		f.Fatal(err)
	}
	rest(f, name, time.Hour)
	memory := &notebook{}
	o := remembering(name, memory)
	tell(f, o)
	if memory.kept != 1 {
		f.Fatal("nothing was kept")
	}
	f.Add(memory.data[len(memoVersion)+4:])
	f.Fuzz(func(t *testing.T, body []byte) {
		o := o
		o.Memory = &notebook{mark: memory.mark, data: sealed(body)}
		j, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		_, _ = describe(j.p), j.Damage().String()
		list := j.List()
		for i := range list.Len() {
			if _, err := list.Load(i); err != nil {
				t.Errorf("entry %d: %v", i, err)
			}
		}
		links := tree.New(list, j.Gaps())
		_ = links.Path(links.Leaf(), tree.Healed)
		j.p.x.Add(&entry.Envelope{ID: []byte("new")}, entry.At{Line: 1})
		if j.p.x.Find("new") < 0 {
			t.Error("what was added is not found")
		}
	})
}
