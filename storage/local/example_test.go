package local_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cambium-dev/cambium/storage"
	"github.com/cambium-dev/cambium/storage/local"
)

// A log is a file.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "cambium-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	l, err := local.New(local.Options{}).Open(ctx, filepath.Join(dir, "oak.jsonl"), storage.Create)
	if err != nil {
		log.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Append(ctx, storage.Mark{}, [][]byte{[]byte("{}")}); err != nil {
		log.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "oak.jsonl"))
	fmt.Printf("%q %v\n", data, err)
	// Output: "{}\n" <nil>
}
