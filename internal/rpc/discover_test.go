package rpc_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/golden"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/rpc"
)

const openRPCPath = "../../doc/openrpc.json"

// TestOpenRPCDocument holds the description for machines: the one in the folder of
// documents is what a server answers. With -update it is written anew.
func TestOpenRPCDocument(t *testing.T) {
	c := start(t)
	answered := c.call("rpc.discover", `{}`)
	if got := rpc.Document(""); string(got) != string(answered) {
		t.Errorf("answered %.200s, want %.200s", answered, got)
	}
	want := spread(answered)
	got, err := os.ReadFile(openRPCPath)
	if err == nil && string(got) == want {
		return
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(openRPCPath, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("stale (go test -update writes it anew): %v\n%s", err, golden.Diff(openRPCPath, string(got), want))
}

// TestTypesAreFresh: the types of the example in TypeScript are those of the document.
func TestTypesAreFresh(t *testing.T) {
	document, err := os.ReadFile(openRPCPath)
	if err != nil {
		t.Fatal(err)
	}
	types, err := os.ReadFile("../../examples/typescript/methods.ts")
	if err != nil {
		t.Fatal(err)
	}
	if sum := fmt.Sprintf("\n// sha256 of the document: %x\n", sha256.Sum256(document)); !strings.Contains(string(types), sum) {
		t.Errorf("examples/typescript/methods.ts is stale: cd examples/typescript && node generate.mjs < ../../doc/openrpc.json > methods.ts")
	}
}

// spread puts every member of the document, every method, schema and error on a line
// of its own, so that a change is read.
func spread(v entry.JSON) string {
	var b strings.Builder
	var put func(v entry.JSON, depth int)
	put = func(v entry.JSON, depth int) {
		first, last := "{", "}"
		if jsonedit.Kind(v) == '[' {
			first, last = "[", "]"
		}
		if depth == 0 || jsonedit.Kind(v) != '{' && jsonedit.Kind(v) != '[' {
			b.Write(v)
			return
		}
		between := "\n"
		b.WriteString(first)
		each := func(key string, v entry.JSON, depth int) {
			b.WriteString(between + key)
			put(v, depth)
			between = ",\n"
		}
		for name, member := range jsonedit.Members(v) {
			below := 0
			switch name {
			case "methods", "components", "schemas", "errors":
				below = depth - 1
			}
			each(string(jsonedit.Quoted(name))+":", member, below)
		}
		for member := range jsonedit.Elements(v) {
			each("", member, 0)
		}
		b.WriteString("\n" + last)
	}
	put(v, 3)
	return b.String() + "\n"
}

// TestOpenRPCIsWhole: everything has words, every reference leads somewhere, and
// every kind of error that is described is one that is listed for people, too.
func TestOpenRPCIsWhole(t *testing.T) {
	doc, err := os.ReadFile(docPath)
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range described() {
		if says, _ := jsonedit.Text(m, "summary"); says == "" {
			t.Errorf("%s has no summary", name)
		}
		params, _ := jsonedit.Get(m, "params")
		for p := range jsonedit.Elements(params) {
			if says, _ := jsonedit.Text(p, "summary"); says == "" {
				t.Errorf("%s: parameter %s has no summary", name, p)
			}
		}
	}
	text := string(rpc.Document(""))
	for _, piece := range strings.Split(text, `"$ref":"#/components/`)[1:] {
		ref, _, _ := strings.Cut(piece, `"`)
		kind, name, _ := strings.Cut(ref, "/")
		if _, ok := jsonedit.Path(entry.JSON(text), "components", kind, name); !ok {
			t.Errorf("%s leads nowhere", ref)
		}
	}
	faults, _ := jsonedit.Path(entry.JSON(text), "components", "errors")
	for name, e := range jsonedit.Members(faults) {
		code, _ := jsonedit.Get(e, "code")
		if !strings.Contains(string(doc), "\n| −"+strings.TrimPrefix(string(code), "-")+" |") {
			t.Errorf("%s %s is not in %s", name, code, docPath)
		}
	}
}

// TestMembersAreDescribed holds the part of the description of the wire that names
// every member of every answer. With -update it is written anew.
func TestMembersAreDescribed(t *testing.T) {
	data, err := os.ReadFile(docPath)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- members, written by go test -update -->\n", "<!-- end of members -->\n"
	before, rest, ok := strings.Cut(string(data), begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the members", docPath)
	}
	want := before + begin + rpc.Members() + end + after
	if want == string(data) {
		return
	}
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(docPath, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("stale (go test -update writes it anew):\n%s", golden.Diff(docPath, string(data), want))
}

func TestInitialize(t *testing.T) {
	c := start(t)
	got := c.call("initialize", `{"clientInfo":{"name":"test"}}`)
	if v, _ := jsonedit.Text(got, "protocolVersion"); v != rpc.Protocol {
		t.Errorf("version %q", v)
	}
	names, _ := jsonedit.Path(got, "capabilities", "methods")
	if jsonedit.Len(names) != len(rpc.Methods()) || !strings.Contains(string(names), `"appendMessage"`) {
		t.Errorf("methods %s", names)
	}
}
