package repair_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/repair"
)

// What is wrong with a file is found without changing it.
func Example() {
	dir, err := os.MkdirTemp("", "cambium-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "oak.jsonl")
	torn := `{"type":"session","version":3,"id":"oak-0001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n" + `{"type":"mess`
	if err := os.WriteFile(path, []byte(torn), 0o600); err != nil {
		log.Fatal(err)
	}
	reports, err := repair.New(repair.Options{Env: layout.Env{Home: dir}}).Session(context.Background(), path)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range reports {
		fmt.Println(r.Findings[0].Kind, r.Fixable())
	}
	// Output: torn true
}
