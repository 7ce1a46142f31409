package storage_test

import (
	"errors"
	"testing"

	"github.com/cambium-dev/cambium/storage"
	"pgregory.net/rapid"
)

func TestParseMark(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		words := [4]uint64(rapid.SliceOfN(rapid.Uint64(), 4, 4).Draw(r, "words"))
		mark := storage.MakeMark(words)
		got, err := storage.ParseMark(mark.String())
		if err != nil || got != mark || got.Words() != words {
			r.Fatalf("%s reads as %s, %v", mark, got, err)
		}
	})
	for _, text := range []string{"", "1", "1.2.3", "1.2.3.4.5", "1.2.3.x", "-1.2.3.4", "1..3.4"} {
		if mark, err := storage.ParseMark(text); err == nil {
			t.Errorf("%q reads as %s", text, mark)
		}
	}
	if mark, err := storage.ParseMark("-"); err != nil || !mark.IsZero() {
		t.Errorf("the zero mark reads as %s, %v", mark, err)
	}
}

func TestErrors(t *testing.T) {
	cause := errors.New("cause")
	for err, want := range map[error]string{
		&storage.Changed{Kind: storage.Grown}:             "log has changed: grown",
		&storage.Changed{Kind: storage.Moved, Name: "/b"}: `log has changed: moved to "/b"`,
		&storage.Partial{Lines: 2, Err: cause}:            "append: 2 lines in place: cause",
	} {
		if got := err.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if !errors.Is(&storage.Partial{Err: cause}, cause) {
		t.Error("a partial append hides its cause")
	}
}
