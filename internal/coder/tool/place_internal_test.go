package tool

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPlaceSwapped puts a link in the way between the look and the act.
func TestPlaceSwapped(t *testing.T) {
	base := t.TempDir()
	for _, name := range []string{"work/sub", "outside"} {
		if err := os.MkdirAll(filepath.Join(base, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(base, name, "file"), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// A session's directory may be reached by a link.
	if err := os.Symlink("work", filepath.Join(base, "session")); err != nil {
		t.Fatal(err)
	}
	env := Env{Dir: filepath.Join(base, "session")}
	p, err := locate(env, "sub/file", false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	data, was, err := p.whole()
	if err != nil || string(data) != "work/sub" {
		t.Fatalf("%q, %v", data, err)
	}
	sub := filepath.Join(base, "work/sub")
	if err := os.RemoveAll(sub); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../outside", sub); err != nil {
		t.Fatal(err)
	}
	if data, _, err := p.whole(); err == nil {
		t.Errorf("read %q", data)
	}
	for _, was := range []os.FileInfo{was, nil} {
		if err := p.save([]byte("changed"), was); err == nil {
			t.Error("written")
		}
	}
	entries, err := os.ReadDir(filepath.Join(base, "outside"))
	if err != nil || len(entries) != 1 {
		t.Errorf("outside there are %v, %v", entries, err)
	}
	if data, err := os.ReadFile(filepath.Join(base, "outside/file")); err != nil || string(data) != "outside" {
		t.Errorf("the file outside is %q, %v", data, err)
	}
}

// TestSaveChanged changes a file behind the back of an edit.
func TestSaveChanged(t *testing.T) {
	env := Env{Dir: t.TempDir()}
	path := filepath.Join(env.Dir, "f")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := locate(env, "f", false)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	_, was, err := p.whole()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("by a person"), 0o644); err != nil {
		t.Fatal(err)
	}
	err = p.save([]byte("new"), was)
	if want := `"f" cannot be written: somebody else changed it just now; read it again`; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "by a person" {
		t.Errorf("%q, %v", data, err)
	}
	if entries, err := os.ReadDir(env.Dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
