package blob_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/cambium-dev/cambium/blob"
)

// What is too large for a line is kept by its hash.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "cambium-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store := blob.OpenDir(dir, blob.DirOptions{})
	ref, err := store.Put(ctx, []byte("a long text"), "txt")
	if err != nil {
		log.Fatal(err)
	}
	data, err := store.Read(ctx, ref)
	fmt.Println(string(data), ref == blob.RefOf(data), err)
	// Output: a long text true <nil>
}
