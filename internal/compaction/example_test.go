package compaction_test

import (
	"fmt"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/compaction"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/internal/tree"
)

// A conversation that fills its window is compacted: what is old is summed up,
// what is new stays.
func Example() {
	l, err := entry.NewList([][]byte{
		[]byte(`{"id":"a","parentId":null,"type":"message","message":{"role":"user","content":"Where is the config read?"}}`),
		[]byte(`{"id":"b","parentId":"a","type":"message","message":{"role":"assistant","content":[{"type":"text","text":"In load.go."}],"usage":{"totalTokens":190000}}}`),
		[]byte(`{"id":"c","parentId":"b","type":"message","message":{"role":"user","content":"Then rename it."}}`),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	path := tree.New(l, nil).Path(2, tree.Healed)
	d, _ := spelling.ByName("cambium")
	rules := compaction.RulesOf(d.Name)
	settings := compact.Settings{KeepRecent: 1}

	fill, err := rules.Used(l, path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("tokens:", fill.Tokens, "due:", rules.Due(fill.Tokens, 200_000, settings))

	p, err := rules.Prepare(l, path, settings)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("sum up:", len(p.Summarize), "keep from:", p.FirstKeptEntryID)
	fmt.Println(p.Conversation())
	// A model answers the request of p.History; then the entry is appended.
	body := p.Body(compact.Result{Summary: p.Join("The config is read in load.go.", "")})
	fmt.Println(entry.BodyType(body), body.Summary)

	// Output:
	// tokens: 190004 due: true
	// sum up: 2 keep from: c
	// [user] Where is the config read?
	//
	// [assistant] In load.go.
	// compaction The config is read in load.go.
}
