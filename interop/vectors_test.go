//go:build peers

package interop_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/vectors"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// start returns a driver that ends with the test.
func start(t *testing.T, p peers.Program) *peers.Driver {
	t.Helper()
	d, err := peers.Start(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() }) // the context has ended by now, which kills it
	return d
}

// call asks and fails the test on any error.
func call(t *testing.T, d *peers.Driver, method string, args ...any) jsontext.Value {
	t.Helper()
	v, err := d.Call(method, args...)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestDriverRepeatsTheVectors runs every recorded script again on the program
// that it was recorded from. It shows that the driver asks the way the vectors
// were made, so that an answer of the driver is an answer of the program.
func TestDriverRepeatsTheVectors(t *testing.T) {
	all, err := vectors.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []peers.Program{peers.Pi, peers.Omp} {
		d := start(t, p)
		ran := 0
		for _, v := range all {
			if v.System != string(p) || v.Operation != "script" || newer(v) {
				continue
			}
			dir := t.TempDir()
			got, err := script(d, dir, v)
			ran++
			if err == nil {
				want, _ := jsonedit.Get(v.Expected, "results")
				err = match(dir, d.Home(), want, got)
			}
			if err != nil {
				t.Errorf("%s: %v", v.File, err)
			}
		}
		if ran < 20 {
			t.Errorf("%s: only %d vectors ran", p, ran)
		}
	}
}

// script puts the vector's file into dir and runs its steps.
func script(d *peers.Driver, dir string, v vectors.Vector) (jsontext.Value, error) {
	if data, ok := vectors.File(v.Input); ok {
		if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), data, 0o600); err != nil {
			return nil, err
		}
	}
	if _, err := d.Call("sandbox", dir); err != nil {
		return nil, err
	}
	steps, ok := jsonedit.Get(v.Args, "steps")
	if !ok {
		return nil, fmt.Errorf("no steps")
	}
	return d.Call("script", vectors.Expand(steps))
}

// match compares with an expected value that may hold placeholders: those in
// the expected value are bound to what stands in the same place, then the two
// are compared as wholes.
func match(dir, cwd string, want, got jsontext.Value) error {
	bound := map[string]string{"dir": dir, "cwd": cwd}
	var w, g any
	if err := json.Unmarshal(want, &w, jsontext.AllowInvalidUTF8(true)); err != nil {
		return err
	}
	if err := json.Unmarshal(got, &g, jsontext.AllowInvalidUTF8(true)); err != nil {
		return err
	}
	return unify("$", bound, w, g)
}

var placeholder = regexp.MustCompile(`\{\{([a-z]+)(:\d+)?\}\}`)

func unify(path string, bound map[string]string, want, got any) error {
	switch w := want.(type) {
	case string:
		if _, number := got.(float64); number && w == "{{ms}}" {
			return nil
		}
		if g, ok := got.(string); ok {
			return unifyText(path, bound, w, g)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			break
		}
		for i := range w {
			if err := unify(fmt.Sprintf("%s[%d]", path, i), bound, w[i], g[i]); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			break
		}
		for name := range w {
			if err := unify(path+"."+name, bound, w[name], g[name]); err != nil {
				return err
			}
		}
		return nil
	default:
		if want == got {
			return nil
		}
	}
	return fmt.Errorf("at %s: want %.300v, got %.300v", path, want, got)
}

// unifyText compares one string, binding what it has not met before.
func unifyText(path string, bound map[string]string, want, got string) error {
	var pattern strings.Builder
	var names []string
	last := 0
	for _, at := range placeholder.FindAllStringIndex(want, -1) {
		pattern.WriteString(regexp.QuoteMeta(want[last:at[0]]))
		name := want[at[0]+2 : at[1]-2]
		last = at[1]
		if value, ok := bound[name]; ok {
			pattern.WriteString(regexp.QuoteMeta(value))
			continue
		}
		pattern.WriteString(`([0-9a-zA-Z:. -]*?)`)
		names = append(names, name)
	}
	pattern.WriteString(regexp.QuoteMeta(want[last:]))
	found := regexp.MustCompile(`(?s)^` + pattern.String() + `$`).FindStringSubmatch(got)
	if found == nil {
		return fmt.Errorf("at %s: want %.400q, got %.400q", path, want, got)
	}
	for i, name := range names {
		if strings.Contains(name, ":") {
			bound[name] = found[i+1]
		}
	}
	return nil
}
