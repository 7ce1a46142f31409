package browse

import (
	"testing"
	"testing/synctest"

	"github.com/cambium-dev/cambium/internal/work"
	"github.com/google/go-cmp/cmp"
)

// TestWishesInOrder: what a person wants is done in the order in which it was wanted, though
// the commands of a screen run in any: an undo takes back what was done last.
func TestWishesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wishes{ctx: t.Context(), lib: work.New(work.Machine{}, work.Front{})}
		var order []string
		wish := func(name string) func() {
			cmd := w.do(func(*work.Library, *Result) error { order = append(order, name); return nil })
			return func() { cmd() }
		}
		first, second, third := wish("first"), wish("second"), wish("third")
		ended := make(chan struct{})
		go func() { third(); close(ended) }()
		synctest.Wait()
		go second()
		synctest.Wait()
		if len(order) > 0 {
			t.Errorf("%q came first", order)
		}
		first()
		<-ended
		if diff := cmp.Diff([]string{"first", "second", "third"}, order); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}
