package cli_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/layout"
	"github.com/cambium-dev/cambium/session"
)

// TestShowFullOpensBlobs sees that what was too long for its line, and where a
// picture is, comes back with --full.
func TestShowFullOpensBlobs(t *testing.T) {
	m := newMachine(t)
	ctx := context.Background()
	s, err := session.Create(ctx, m.dir, session.Options{
		FirstWrite: session.Immediately,
		Env:        layout.Env{Home: m.home, Cwd: m.dir, Getenv: func(string) string { return "" }},
	})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("a line of a very long output\n", 20_000) + "THE END"
	picture := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("pixels"), 400))
	for _, message := range []string{
		fmt.Sprintf(`{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":%q}],"isError":false,"timestamp":1}`, long),
		fmt.Sprintf(`{"role":"user","content":[{"type":"image","data":%q,"mimeType":"image/png"}],"timestamp":1}`, picture),
	} {
		if _, err := s.Append(ctx, &entry.MessageBody{Message: []byte(message)}); err != nil {
			t.Fatal(err)
		}
	}
	path := s.Path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	blobs := filepath.Join(m.home, ".cambium/agent/blobs")
	short, _, _ := m.run("show", path)
	if strings.Contains(short, "THE END") || strings.Contains(short, blobs) || !strings.Contains(short, "[image/png, 2.3 KB]") {
		t.Errorf("without --full: %.500s", short)
	}
	m.env = append(m.env, "COLUMNS=400")
	full, stderr, code := m.run("show", "--full", path)
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if !strings.Contains(full, "THE END") {
		t.Error("--full does not show the whole text")
	}
	if !strings.Contains(full, "[image/png, 2.3 KB] "+blobs) {
		t.Errorf("--full does not say where the picture is: %s", full[len(full)-500:])
	}
}
