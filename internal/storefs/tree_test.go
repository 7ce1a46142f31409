package storefs_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"github.com/cambium-dev/cambium/internal/storefs"
	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/storagetest"
	"github.com/google/go-cmp/cmp"
)

// stubborn is a store that does not rename one log.
type stubborn struct {
	*storagetest.Rows
	never string
}

var errStubborn = errors.New("not that one")

func (s stubborn) Rename(ctx context.Context, old, now string) error {
	if old == s.never {
		return errStubborn
	}
	return s.Rows.Rename(ctx, old, now)
}

// TestRenameTree: a directory gets another name with all that is in it, or stays
// whole where it is.
func TestRenameTree(t *testing.T) {
	store := storagetest.NewRows()
	for _, name := range []string{"/d/one", "/d/sub/two", "/d/sub/deep/three", "/dd/other", "/taken/here"} {
		log, err := store.Open(t.Context(), name, storage.Create)
		if err == nil {
			_, err = log.Append(t.Context(), storage.Mark{}, [][]byte{[]byte(name)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	here := func(store storage.Store, want ...string) {
		t.Helper()
		var got []string
		for _, name := range []string{
			"/d/one", "/d/sub/two", "/d/sub/deep/three", "/dd/other", "/taken/here", "/new/x/one", "/new/x/sub/two", "/new/x/sub/deep/three",
		} {
			if info, err := store.Stat(t.Context(), name); err == nil && info.Mode.IsRegular() {
				got = append(got, name)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("there (-want +got):\n%s", diff)
		}
	}
	before := []string{"/d/one", "/d/sub/two", "/d/sub/deep/three", "/dd/other", "/taken/here"}
	for _, test := range []struct {
		store    storage.Store
		old, now string
		want     error
	}{
		{store, "/d", "/taken", fs.ErrExist},
		{store, "/none", "/new/x", fs.ErrNotExist},
		{stubborn{store, "/d/sub/two"}, "/d", "/new/x", errStubborn},
		{stubborn{store, "/d/sub/deep/three"}, "/d", "/new/x", errStubborn},
	} {
		if err := storefs.NewWritable(t.Context(), test.store).RenameNew(test.old, test.now); !errors.Is(err, test.want) {
			t.Errorf("%s to %s: %v, want %v", test.old, test.now, err, test.want)
		}
		here(store, before...)
	}
	if err := storefs.New(t.Context(), store).RenameNew("/d", "/new/x"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("where nothing may be changed: %v", err)
	}
	if err := storefs.NewWritable(t.Context(), store).RenameNew("/d/", "/new/x"); err != nil {
		t.Error(err)
	}
	here(store, "/dd/other", "/taken/here", "/new/x/one", "/new/x/sub/two", "/new/x/sub/deep/three")
}
