//go:build peers

package interop_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/sessiongen"
	"github.com/cambium-dev/cambium/interop/peers"
	"github.com/cambium-dev/cambium/session"
	"github.com/go-json-experiment/json/jsontext"
)

// authored is how many sessions each side writes for the other.
const authored = 60

// An author writes a session, step by step, by its own operations.
type author interface {
	// goTo makes an entry the leaf, or none for "".
	goTo(id string) error
	// write appends an entry like the given one behind the leaf and returns its
	// id, "" when it was not told. errRefused: the author will not.
	write(like jsontext.Value) (string, error)
}

// errRefused is for what an author cannot or must not write.
var errRefused = errors.New("refused")

// retell lets an author write what a random session says: the same bodies under
// the same parents, with its own ids. It begins with an exchange, so that there
// is a file, and counts the entries by type.
func retell(a author, rng *rand.Rand, d dialect.Name, kinds map[string]int) error {
	s := sessiongen.Random(rng, sessiongen.Options{Dialect: sessiongen.Dialect(d), Clean: true, Newlines: sessiongen.LF, NoSlot: true})
	for _, like := range opening(rng) {
		if _, err := a.write(like); err != nil {
			return err
		}
	}
	ids := map[string]string{}
	leaf := "\x00"
	for line := range bytes.SplitSeq(bytes.TrimSpace(s.Bytes), []byte("\n")) {
		like := jsontext.Value(bytes.TrimSpace(line))
		kind, _ := jsonedit.Text(like, "type")
		if kind == "session" {
			continue
		}
		id, _ := jsonedit.Text(like, "id")
		if parent := s.Parents[id]; parent != leaf {
			if err := a.goTo(ids[parent]); err != nil {
				return err
			}
		}
		if target, ok := jsonedit.Text(like, "targetId"); ok && ids[target] == "" {
			kinds["of what was not written"]++
			ids[id], leaf = ids[s.Parents[id]], "\x00"
			continue
		}
		for _, key := range []string{"targetId", "firstKeptEntryId", "fromId", "providerReplayThroughEntryId"} {
			if old, ok := jsonedit.Text(like, key); ok && ids[old] != "" {
				like = jsonedit.Set(like, key, jsonedit.Quoted(ids[old]))
			}
		}
		now, err := a.write(jsonedit.Set(like, "parentId", jsonedit.Quoted(ids[s.Parents[id]])))
		switch {
		case errors.Is(err, errRefused):
			kinds[kind+" refused"]++
			ids[id], leaf = ids[s.Parents[id]], "\x00"
		case err != nil:
			return fmt.Errorf("write %s: %w", kind, err)
		default:
			kinds[kind]++
			if leaf = id; now == "" {
				now, leaf = ids[s.Parents[id]], "\x00"
			}
			ids[id] = now
		}
	}
	return nil
}

// opening is an exchange whose answer is longer than a stored string may be and
// shows a picture, sometimes.
func opening(rng *rand.Rand) []jsontext.Value {
	picture := make([]byte, 600+rng.IntN(900))
	for i := range picture {
		picture[i] = byte(rng.Uint32())
	}
	text := "done"
	if rng.IntN(6) == 0 {
		text = strings.Repeat("é😀", 170_000)
	}
	const usage = `"usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
	return []jsontext.Value{
		jsontext.Value(`{"type":"message","message":{"role":"user","content":"begin","timestamp":1}}`),
		jsontext.Value(`{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c0","name":"look","arguments":{}}],"api":"messages","provider":"p","model":"m",` + usage + `,"stopReason":"toolUse","timestamp":2}}`),
		jsontext.Value(`{"type":"message","message":{"role":"toolResult","toolCallId":"c0","toolName":"look","content":[{"type":"text","text":"` + text + `"},{"type":"image","data":"` +
			base64.StdEncoding.EncodeToString(picture) + `","mimeType":"image/png"}],"isError":false,"timestamp":3}}`),
	}
}

// A program writes through the real program's own session manager.
type program struct{ d *peers.Driver }

func (a program) goTo(id string) error {
	method, args := "branch", []any{id}
	if id == "" {
		method, args = "resetLeaf", nil
	}
	_, err := a.d.Call(method, args...)
	return err
}

func (a program) write(like jsontext.Value) (string, error) {
	kind, _ := jsonedit.Text(like, "type")
	calls := ompCalls()
	if a.d.Program() != peers.Omp {
		calls = piCalls()
	}
	in, ok := calls[kind]
	if !ok {
		return "", errRefused
	}
	value, err := a.d.Call(in.method, in.args(like)...)
	var fault *peers.Fault
	if kind == "context_edit" && errors.As(err, &fault) {
		return "", errRefused
	}
	id, _ := jsonedit.String(value)
	return id, err
}

// An invocation is a method of the driver and the members of an entry that are its
// arguments. "parentId" is null for a root.
type invocation struct {
	method  string
	members []string
}

func (c invocation) args(like jsontext.Value) []any {
	var args []any
	for _, name := range c.members {
		v, ok := jsonedit.Get(like, name)
		switch {
		case name == "*": // the rest, as one object
			v = jsonedit.Delete(like, "type", "id", "parentId", "timestamp", "summary", "shortSummary", "firstKeptEntryId", "tokensBefore")
		case !ok, name == "parentId" && string(v) == `""`:
			v = jsontext.Value("null")
		}
		args = append(args, v)
	}
	return args
}

func piCalls() map[string]invocation {
	return map[string]invocation{
		"message":               {"message", []string{"message"}},
		"thinking_level_change": {"thinking", []string{"thinkingLevel"}},
		"model_change":          {"model", []string{"provider", "modelId"}},
		"usage":                 {"usage", []string{"kind", "provider", "model", "usage", "note"}},
		"compaction":            {"compaction", []string{"summary", "firstKeptEntryId", "tokensBefore", "details", "fromHook"}},
		"branch_summary":        {"branchWithSummary", []string{"parentId", "summary", "details", "fromHook"}},
		"custom":                {"custom", []string{"customType", "data"}},
		"custom_message":        {"customMessage", []string{"customType", "content", "display", "details"}},
		"label":                 {"label", []string{"targetId", "label"}},
		"session_info":          {"sessionInfo", []string{"name"}},
		"context_edit":          {"contextEdit", []string{"targetId", "replacement"}},
	}
}

func ompCalls() map[string]invocation {
	return map[string]invocation{
		"message":               {"message", []string{"message"}},
		"thinking_level_change": {"thinking", []string{"thinkingLevel", "configured"}},
		"model_change":          {"model", []string{"model", "role"}},
		"service_tier_change":   {"serviceTier", []string{"serviceTier"}},
		"compaction":            {"compaction", []string{"summary", "shortSummary", "firstKeptEntryId", "tokensBefore", "*"}},
		"branch_summary":        {"branchWithSummary", []string{"parentId", "summary", "details", "fromExtension"}},
		"custom":                {"custom", []string{"customType", "data"}},
		"custom_message":        {"customMessage", []string{"customType", "content", "display", "details", "attribution"}},
		"label":                 {"label", []string{"targetId", "label"}},
		"mode_change":           {"mode", []string{"mode", "data"}},
		"session_init":          {"sessionInit", []string{"*"}},
		"ttsr_injection":        {"ttsr", []string{"injectedRules"}},
		"title_change":          {"setName", []string{"title", "source", "trigger"}},
		"model_usage":           {"modelUsage", []string{"*"}},
		"credential_pin":        {"credentialPin", []string{"provider", "hash"}},
		"reset_boundary":        {"resetBoundary", nil},
	}
}

// A cambium writes through the library.
type cambium struct {
	t *testing.T
	s *session.Session
}

func (a cambium) goTo(id string) error {
	if id == "" {
		a.s.ResetLeaf()
		return nil
	}
	return a.s.MoveLeaf(id)
}

func (a cambium) write(like jsontext.Value) (string, error) {
	ctx := a.t.Context()
	kind, _ := jsonedit.Text(like, "type")
	switch kind {
	case "branch_summary":
		var b session.BranchSummary
		if parent, _ := jsonedit.Text(like, "parentId"); parent != "" {
			b.Target = &parent
		}
		b.Summary, _ = jsonedit.Text(like, "summary")
		b.Details, _ = jsonedit.Get(like, "details")
		return a.s.BranchWithSummary(ctx, b)
	case "session_info", "title_change":
		name, _ := jsonedit.Text(like, "name")
		title, _ := jsonedit.Text(like, "title")
		source, _ := jsonedit.Text(like, "source")
		done, err := a.s.Rename(ctx, name+title, session.Title{Source: source})
		if !done || err != nil {
			return "", err
		}
		id, _ := a.s.Leaf()
		return id, nil
	case "context_edit":
		target, _ := jsonedit.Text(like, "targetId")
		replacement, _ := jsonedit.Get(like, "replacement")
		id, err := a.s.EditContext(ctx, target, replacement)
		var published *session.Error
		if errors.As(err, &published) {
			return "", errRefused
		}
		return id, err
	}
	body, err := entry.ParseBody(like)
	if err != nil {
		return "", err
	}
	return a.s.Append(ctx, body)
}
