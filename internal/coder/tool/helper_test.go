package tool_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// box is a session's directory with files, and what is outside of it.
func box(t *testing.T, files map[string]string) tool.Env {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "work")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		put(t, filepath.Join(dir, name), content)
	}
	return tool.Env{Dir: dir, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(base, "home")}}
}

// put writes a file, a directory for a name that ends in "/".
func put(t *testing.T, path, content string) {
	t.Helper()
	if strings.HasSuffix(path, "/") || content == "/" {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// run calls a tool and checks what holds of every result.
func run(t *testing.T, env tool.Env, name, arguments string) tool.Result {
	t.Helper()
	return runIn(t, context.Background(), env, name, arguments)
}

func runIn(t *testing.T, ctx context.Context, env tool.Env, name, arguments string) tool.Result {
	t.Helper()
	r := tool.Find(tool.All(), name).Run(ctx, message.JSON(arguments), env)
	if len(r.Content) == 0 {
		t.Errorf("%s %s: no content", name, arguments)
	}
	text := words(r)
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		t.Errorf("%s %s: content %q is not fit for a model", name, arguments, text)
	}
	if len(text) > tool.MaxBytes+4<<10 {
		t.Errorf("%s %s: %d bytes of content", name, arguments, len(text))
	}
	if r.Details != nil && !jsontext.Value(r.Details).IsValid() {
		t.Errorf("%s %s: details %q", name, arguments, r.Details)
	}
	return r
}

// words is the text of a result.
func words(r tool.Result) string {
	var texts []string
	for _, b := range r.Content {
		if b, ok := b.(*message.TextBlock); ok {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// details are those of a result.
func details(t *testing.T, r tool.Result) map[string]any {
	t.Helper()
	var d map[string]any
	if err := json.Unmarshal(r.Details, &d); err != nil {
		t.Fatalf("details %q: %v", r.Details, err)
	}
	return d
}

// quote is a JSON string.
func quote(s string) string {
	raw, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// shelf keeps artifacts in memory.
type shelf struct {
	mu    sync.Mutex
	files map[string]*strings.Builder
	size  int64
	// bare keeps the size only.
	bare bool
	fail error
}

func (s *shelf) artifact(_ context.Context, name string) (string, io.WriteCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string]*strings.Builder{}
	}
	path := "/artifacts/0." + name + ".log"
	s.files[path] = &strings.Builder{}
	return path, &slot{s, s.files[path]}, nil
}

type slot struct {
	*shelf
	b *strings.Builder
}

func (s *slot) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return 0, s.fail
	}
	s.size += int64(len(p))
	if !s.bare {
		s.b.Write(p)
	}
	return len(p), nil
}

func (s *slot) Close() error { return nil }
