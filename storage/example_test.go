package storage_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/memory"
)

// An append says what it knows of the log, and is refused when that is not so any more.
func Example() {
	ctx := context.Background()
	var store storage.Store = memory.New(memory.Options{})
	l, err := store.Open(ctx, "/w/oak.jsonl", storage.Create)
	if err != nil {
		log.Fatal(err)
	}
	defer l.Close()
	mark, err := l.Append(ctx, storage.Mark{}, [][]byte{[]byte("{}")})
	if err != nil {
		log.Fatal(err)
	}
	_, err = l.Append(ctx, storage.Mark{}, [][]byte{[]byte("{}")}) // of before
	fmt.Println(mark != storage.Mark{}, err != nil)
	// Output: true true
}
