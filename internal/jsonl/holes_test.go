package jsonl_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/google/go-cmp/cmp"
)

// holey is a file with holes: texts, each where it begins, and zero bytes between them. It
// counts what is read.
type holey struct {
	at    []int64
	texts []string
	size  int64
	read  int
}

func (h *holey) ReadAt(p []byte, off int64) (int, error) {
	n := int(max(0, min(int64(len(p)), h.size-off)))
	h.read += n
	clear(p[:n])
	for i, at := range h.at {
		if from := max(at, off); from < min(off+int64(n), at+int64(len(h.texts[i]))) {
			copy(p[from-off:n], h.texts[i][from-at:])
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (h *holey) Data(off int64) (from, to int64, err error) {
	for i, at := range h.at {
		if end := at + int64(len(h.texts[i])); end > off {
			return max(at, off), end, nil
		}
	}
	return h.size, h.size, nil
}

// solid is a file that does not know its holes.
type solid struct{ h *holey }

func (s solid) ReadAt(p []byte, off int64) (int, error) { return s.h.ReadAt(p, off) }

// TestHoles: what is read of a file with holes is what is read of one that does not tell of
// them.
func TestHoles(t *testing.T) {
	pieces := []string{"\n", `{"type":"message","id":"a"}`, "\n\n", `{"a":`, "x\x00\x00y", "  ", `"}`, strings.Repeat("z", 90)}
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 60))
		h := &holey{}
		for range rng.IntN(6) {
			h.size += int64(rng.IntN(3) * rng.IntN(300))
			text := ""
			for range rng.IntN(4) {
				text += pieces[rng.IntN(len(pieces))]
			}
			if text != "" {
				h.at, h.texts = append(h.at, h.size), append(h.texts, text)
				h.size += int64(len(text))
			}
		}
		h.size += int64(rng.IntN(2) * rng.IntN(500))
		all := func(r io.ReaderAt, to int64) (lines []short, scans []string) {
			err := jsonl.Lines(r, 0, to, jsonl.Options{MaxLine: 64, Window: 8}, func(l jsonl.Line) error {
				if l.Bytes == nil && l.Len > 0 {
					m := jsonl.NewMachine(&jsonl.Query{Keys: []string{"id"}, Inside: -1})
					err := jsonl.ScanLong(r, l, m)
					scans = append(scans, string(m.Values()[0]))
					if err != nil {
						scans = append(scans, err.Error())
					}
				}
				return collect(&lines)(l)
			})
			if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Fatal(err)
			}
			return lines, scans
		}
		for _, to := range []int64{h.size, -1} {
			want, wantScans := all(solid{h}, to)
			got, scans := all(h, to)
			if d := cmp.Diff(want, got) + cmp.Diff(wantScans, scans); d != "" {
				t.Fatalf("seed %d (-without +with holes):\n%s", seed, d)
			}
		}
		want, err := jsonl.Split(solid{h}, 0, h.size, 3)
		got, err2 := jsonl.Split(h, 0, h.size, 3)
		if err != nil || err2 != nil || !slices.Equal(want, got) {
			t.Fatalf("seed %d: split at %v, %v, want %v, %v", seed, got, err2, want, err)
		}
	}
}

// TestHugeHoles: holes of many gigabytes are not read.
func TestHugeHoles(t *testing.T) {
	first, last := `{"id":"1"}`+"\n", "\n"+`{"id":"2"}`+"\n"
	for name, h := range map[string]*holey{
		"behind all":    {at: []int64{0}, texts: []string{first}, size: 60 << 30},
		"behind a part": {at: []int64{0}, texts: []string{first + `{"id":`}, size: 60 << 30},
		"in the middle": {at: []int64{0, 60 << 30}, texts: []string{first, last}, size: 60<<30 + int64(len(last))},
		"in front":      {at: []int64{60 << 30}, texts: []string{last}, size: 60<<30 + int64(len(last))},
		"everywhere":    {size: 60 << 30},
	} {
		_, err := jsonl.Split(h, 0, h.size, 4)
		n := 0
		more := jsonl.Lines(h, 0, h.size, jsonl.Options{}, func(l jsonl.Line) error {
			if l.Bytes == nil {
				n++
				m := jsonl.NewMachine(&jsonl.Query{Inside: -1})
				if err := jsonl.ScanLong(h, l, m); err == nil || m.Blank() != (name != "behind a part") {
					t.Errorf("%s: the long line is %v, blank: %v", name, err, m.Blank())
				}
			}
			return nil
		})
		if err != nil || more != nil || n != 1 {
			t.Errorf("%s: %d long lines, %v, %v", name, n, err, more)
		}
		if h.read > 16<<20 {
			t.Errorf("%s: %d bytes were read", name, h.read)
		}
	}
}
