package varint_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/cambium-dev/cambium/internal/varint"
)

func TestReader(t *testing.T) {
	b := binary.AppendUvarint(nil, math.MaxUint64)
	b = binary.AppendVarint(b, math.MinInt64)
	b = append(b, 7)
	b = append(binary.AppendUvarint(b, 3), "abc"...)
	b = append(b, "rest"...)
	read := func(b []byte) (r varint.Reader, same bool) {
		r.Rest = b
		u, i, c := r.Uint(), r.Int(), r.Byte()
		part, rest := r.Part(), r.Bytes(4)
		return r, u == math.MaxUint64 && i == math.MinInt64 && c == 7 && string(part) == "abc" && string(rest) == "rest"
	}
	if r, same := read(b); !same || r.Bad || len(r.Rest) > 0 {
		t.Errorf("read %v, %+v", same, r)
	}
	for n := range b {
		if r, same := read(b[:n]); same || !r.Bad || r.Rest != nil {
			t.Errorf("read of %d bytes: %v, %+v", n, same, r)
		}
	}
}

func TestDamaged(t *testing.T) {
	for name, b := range map[string][]byte{
		"nothing": nil, "no end": {0x80}, "too long": {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, "more than there is": {5, 1},
	} {
		r := varint.Reader{Rest: b}
		if n := r.Count(); n != 0 || !r.Bad {
			t.Errorf("%s: counted %d, %+v", name, n, r)
		}
		if r.Uint() != 0 || r.Int() != 0 || r.Byte() != 0 || r.Bytes(1) != nil || len(r.Part()) > 0 || !r.Bad {
			t.Errorf("%s: there is more", name)
		}
	}
	r := varint.Reader{Rest: []byte{1}}
	if r.Bytes(-1) != nil || !r.Bad {
		t.Error("less than nothing was read")
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte{1, 2, 3, 0x80, 0xff}, []byte{0, 1, 2, 3, 4, 5})
	f.Fuzz(func(t *testing.T, b, order []byte) {
		r := varint.Reader{Rest: b}
		for _, what := range order {
			was, bad := len(r.Rest), r.Bad
			switch what % 6 {
			case 0:
				_ = r.Uint()
			case 1:
				_ = r.Int()
			case 2:
				if n := r.Count(); n > len(r.Rest) {
					t.Fatalf("%d are to come in %d bytes", n, len(r.Rest))
				}
			case 3:
				_ = r.Byte()
			case 4:
				_ = r.Bytes(int(what) - 8)
			case 5:
				_ = r.Part()
			}
			if len(r.Rest) > was || bad && !r.Bad {
				t.Fatalf("%d bytes were left, now %d; bad %v, now %v", was, len(r.Rest), bad, r.Bad)
			}
		}
	})
}
