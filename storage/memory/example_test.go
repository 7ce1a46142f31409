package memory_test

import (
	"context"
	"fmt"
	"log"

	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/memory"
)

// A store for tests, and for what is not to be kept.
func Example() {
	ctx := context.Background()
	l, err := memory.New(memory.Options{}).Open(ctx, "/w/oak.jsonl", storage.Create)
	if err != nil {
		log.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Append(ctx, storage.Mark{}, [][]byte{[]byte("{}")}); err != nil {
		log.Fatal(err)
	}
	for line, err := range l.Read(ctx, storage.Mark{}) {
		fmt.Println(string(line.Bytes), err)
	}
	// Output: {} <nil>
}
