package index_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/internal/index"
	"github.com/cambium-dev/cambium/internal/scratch"
	"github.com/cambium-dev/cambium/internal/source"
)

// records returns n records of files that are not there.
func records(n int) (all []catalog.Record) {
	for i := range n {
		path := fmt.Sprintf("/work/%04d.jsonl", i)
		all = append(all, catalog.Record{Path: path, Stamp: source.Stamp{Ino: uint64(i)}, None: i%5 == 0, Info: catalog.Info{Path: path}})
	}
	return all
}

// paths collects the files of which an index hands records over.
func paths(ctx context.Context, x *index.Index) (all []string, err error) {
	for kept, err := range x.Bundles(ctx, "") {
		if err != nil {
			return all, err
		}
		for r := range kept.Bundle.Records() {
			all = append(all, r.Path)
		}
	}
	return all, nil
}

// TestBundles: what is handed over as it is kept is what is known; who stops early
// gets no more, and the index goes on.
func TestBundles(t *testing.T) {
	x := index.New(index.Options{Dir: scratch.OwnDir(t), Report: func(err error) { t.Error(err) }})
	t.Cleanup(func() { _ = x.Close() })
	if all, err := paths(t.Context(), x); err != nil || len(all) != 0 {
		t.Fatalf("%d records of nothing, %v", len(all), err)
	}
	want := []string{}
	for _, r := range records(1000) {
		want = append(want, r.Path)
	}
	if err := x.Keep(t.Context(), records(1000), nil); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range x.Bundles(t.Context(), "") {
		if n++; err != nil || n == 2 {
			break
		}
	}
	if err := x.Keep(t.Context(), nil, want[:100]); err != nil || n != 2 {
		t.Fatalf("after %d bundles: %v", n, err)
	}
	for kept, err := range x.Bundles(t.Context(), "/elsewhere") {
		t.Errorf("of another directory: %v, %v", kept.Dir, err)
	}
	got, err := paths(t.Context(), x)
	if diff := different(want[100:], got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	known := []string{}
	for r, err := range x.Known(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		known = append(known, r.Path)
	}
	if diff := different(want[100:], known); diff != "" {
		t.Errorf("known (-want +got):\n%s", diff)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := paths(ctx, x); err == nil {
		t.Error("a context that ended was ignored")
	}
}

// TestBundlesOfADamagedFile: what is handed over before the damage is met is as it
// was kept, nothing comes twice, and the index is there again.
func TestBundlesOfADamagedFile(t *testing.T) {
	h := newHome(t)
	var told error
	x := index.New(index.Options{Dir: h.cache(), Report: func(err error) { told = errors.Join(told, err) }})
	if err := x.Keep(t.Context(), records(5000), nil); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(h.database())
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)/2] ^= 0xff
	raw[len(raw)/2+1] ^= 0xff
	if err := os.WriteFile(h.database(), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	got, err := paths(t.Context(), x)
	for _, path := range got {
		if seen[path] {
			t.Errorf("%s comes twice", path)
		}
		seen[path] = true
	}
	if err != nil || told == nil || len(got) == 5000 {
		t.Errorf("%d records, %v; told %v", len(got), err, told)
	}
	if all, err := paths(t.Context(), x); err != nil || len(all) != 0 {
		t.Errorf("%d records in the new file, %v", len(all), err)
	}
	_ = x.Close()
}
