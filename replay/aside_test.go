package replay_test

import (
	"sync"
	"testing"
)

// Who reads entries aside of a context reads what it reads, while its messages are
// read, and has none itself.
func TestAside(t *testing.T) {
	b := linked(t,
		`{"type":"message","message":{"role":"user","content":null}}`,
		`{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"read","arguments":{}}]}}`,
		`{"type":"custom_message","customType":"x","content":"shown","display":true}`,
		user("last"),
	)
	c := b.end(t, rulesOf(t, "omp"))
	aside := c.Aside()
	_, path := aside.View()
	var group sync.WaitGroup
	group.Go(func() {
		for _, err := range c.Messages() {
			if err != nil {
				t.Error(err)
			}
		}
	})
	got := map[int]string{}
	for _, i := range path {
		m, _, err := aside.Alone(i)
		if err != nil {
			t.Fatal(err)
		}
		got[i] = string(m.JSON)
	}
	group.Wait()
	for _, i := range path {
		if m, _, err := c.Alone(i); err != nil || string(m.JSON) != got[i] {
			t.Errorf("entry %d aside is %s, want %s: %v", i, got[i], m.JSON, err)
		}
	}
	if aside.Leaf() != c.Leaf() || aside.From() != c.From() || aside.Cut() != c.Cut() {
		t.Error("the parts stand elsewhere")
	}
	for range aside.Messages() {
		t.Error("it has messages of its own")
	}
}
