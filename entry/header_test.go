package entry_test

import (
	"math"
	"testing"

	"github.com/cambium-dev/cambium/entry"
)

func TestHeaderVersionAsJavaScriptCompares(t *testing.T) {
	for _, c := range []struct {
		json string
		want float64
	}{
		{`3`, 3}, {`"2"`, 2}, {`" 2 "`, 2}, {`null`, 1}, {`true`, 1}, {`false`, 0}, {`""`, 0}, {`4`, 4}, {`2.5`, 2.5},
		{`"abc"`, math.NaN()}, {`{}`, math.NaN()}, {`"inf"`, math.NaN()}, {`"1_0"`, math.NaN()},
	} {
		h, ok := entry.ParseHeader([]byte(`{"type":"session","version":` + c.json + `,"id":"x"}`))
		if !ok || h.Version != c.want && !(math.IsNaN(h.Version) && math.IsNaN(c.want)) {
			t.Errorf("version %s: got %v, %v; want %v", c.json, h.Version, ok, c.want)
		}
	}
	if h, ok := entry.ParseHeader([]byte(`{"type":"session","id":""}`)); !ok || h.Version != 1 {
		t.Errorf("no version and an empty id: got %v, %v; want 1, true", h.Version, ok)
	}
	for _, bad := range []string{`{"type":"session"}`, `{"type":"session","id":5}`, `{"type":"x","id":"a"}`, `[]`} {
		if _, ok := entry.ParseHeader([]byte(bad)); ok {
			t.Errorf("%s counts as a header", bad)
		}
	}
}

func TestAmendKeepsIndexRight(t *testing.T) {
	list, err := entry.NewList([][]byte{
		[]byte(`{"type":"message","message":{"role":"hookMessage"}}`),
		[]byte(`{"type":"label","id":"old","targetId":"x"}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	var e entry.Envelope
	line := `{"type":"message","message":{"role":"custom"},"id":"n","parentId":"p"}`
	if err := e.Scan([]byte(line)); err != nil {
		t.Fatal(err)
	}
	list.Amend(0, &e)
	list.Rehash()
	body := list.Body(0)
	if list.Find("n") != 0 || list.Find("old") != 1 || list.Ref(1) != "x" || list.Role(0) != entry.RoleCustom ||
		line[body.Start:body.End] != `{"role":"custom"}` || list.At(0).Line != 1 {
		t.Errorf("after Amend: find %d %d, ref %q, role %v, body %v, at %+v",
			list.Find("n"), list.Find("old"), list.Ref(1), list.Role(0), body, list.At(0))
	}
	if parent, ok := list.ParentID(0); !ok || parent != "p" {
		t.Errorf("parent %q, %v; want p", parent, ok)
	}
}
