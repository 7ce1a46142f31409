package catalog_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/layout"
)

// The sessions of all agents are found where those keep them.
func Example() {
	home, err := os.MkdirTemp("", "cambium-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	dir := filepath.Join(home, ".pi/agent/sessions/--w--")
	lines := `{"type":"session","version":3,"id":"oak-0001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n" +
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"Which room?"}}` + "\n"
	if err := os.MkdirAll(dir, 0o700); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "1_oak-0001.jsonl"), []byte(lines), 0o600); err != nil {
		log.Fatal(err)
	}
	for info, err := range catalog.Scan(context.Background(), catalog.Options{Env: layout.Env{Home: home}}) {
		fmt.Println(info.Agent, info.ID, info.CWD, info.FirstMessage, err)
	}
	// Output: pi oak-0001 /w Which room? <nil>
}
