package rpc_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cambium-dev/cambium/catalog"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/rpc"
	"github.com/cambium-dev/cambium/internal/tree"
	"github.com/cambium-dev/cambium/replay"
	"github.com/cambium-dev/cambium/session"
	"github.com/google/go-cmp/cmp"
)

// published lists the methods that a client may rely on, in the order and the
// notation in which they are promised.
const published = `initialize{clientInfo?,ownEvents?} rpc.discover
create{cwd,sessionDir?,agentDir?,agent?,id?,parentSession?,firstWrite?,suppressBreadcrumb?,ownEvents?}
open{path,sessionDir?,agentDir?,agent?,reinitialize?,readOnly?,cwd?,parentSession?,throwIfMissing?,suppressBreadcrumb?,ownEvents?}
continueRecent{cwd,sessionDir?,agentDir?,agent?,firstWrite?,suppressBreadcrumb?,ownEvents?}
inMemory{cwd?,agent?,id?,parentSession?,entries?,ownEvents?}
follow{path,sessionDir?,agentDir?,agent?,suppressBreadcrumb?,ownEvents?}
forkFrom{sourcePath,targetCwd,sessionDir?,agentDir?,agent?,id?,copyArtifacts?,suppressBreadcrumb?,ownEvents?}
list{cwd,sessionDir?,agentDir?,agent?} listAll{sessionDir?,agentDir?,agent?} getRecentSessions{sessionDir,limit?}
findMostRecentSession{sessionDir,cwd?} history.add{prompt,cwd?,sessionId?} history.recent{limit?} history.search{query,limit?}
append{body,stored?} appendMessage{message,stored?} appendThinkingLevelChange{thinkingLevel,configured?,stored?}
appendModelChange{provider?,modelId?,model?,role?,stored?}
appendCompaction{summary,firstKeptEntryId,tokensBefore,shortSummary?,details?,fromExtension?,fromHook?,preserveData?,tokensAfter?,method?,providerReplayThroughEntryId?,usage?,stored?}
appendCustomEntry{customType,data?,stored?} appendCustomMessageEntry{customType,content,display,details?,attribution?,stored?}
appendSessionInfo{name,stored?} appendLabelChange{targetId,label?,stored?} appendModeChange{mode,data?,stored?}
appendTtsrInjection{injectedRules,stored?} appendServiceTierChange{serviceTier,stored?}
appendContextEdit{targetId,replacement,stored?} appendUsage{kind,provider,model,usage,note?,stored?} appendResetBoundary{stored?}
appendCredentialPin{provider,hash,stored?} appendSessionInit{systemPrompt,task,tools,outputSchema?,stored?} isPersisted getCwd
getSessionDir getSessionId getSessionFile isSessionOnDisk getSessionName getHeader getLeafId getLeafEntry getEntry{id} getEntries
getChildren{parentId} getLabel{id} getBranch{fromId?} getTree{flat?} getUsageStatistics
buildSessionContext{leafId?,llm?,since?,transcript?,collapseCompactedHistory?,keepDanglingToolCalls?,entries?,agent?}
buildContextEntries{leafId?,entries?,agent?} getLatestCompactionEntry{entries} migrateSessionEntries{entries}
parseSessionEntries{content} convertToLlm{messages,agent?} branch{id} resetLeaf
branchWithSummary{id,summary,details?,fromExtension?,fromHook?,usage?,stored?} captureState restoreState{state}
newSession{parentSession?,id?} setSessionFile{path} setSessionName{name,source?} createBranchedSession{leafId} ensureOnDisk
fork{copyArtifacts?} moveTo{cwd} rewriteEntries{entries} flush close getArtifactsDir getArtifacts getArtifactPath{id}
allocateArtifactPath{toolType} saveArtifact{content,toolType} putBlob{data,extension?} getBlob{ref} saveDraft{text} consumeDraft
getAdditionalDirectories addWorkspaceDirectory{directory} removeWorkspaceDirectory{directory}
setAdditionalDirectories{directories} discardEntryDurably{entryId}
search{query,cwd?,limit?,perSession?,sessionDir?,agentDir?,agent?} resolve{session,cwd?,sessionDir?,agentDir?,agent?}
findById{cwd,id,sessionDir?,agentDir?,agent?} peekSessionInit{path} getDefaultSessionDir{cwd,agentDir?,agent?}
createEmptySessionFile{cwd,sessionDir?,agentDir?,agent?}
usage.sum{by?,from?,until?,project?,model?,active?,timeZone?,sessionDir?,agentDir?,agent?} dropSession{path} undo{id?} listOperations listDrafts doctor{path?,fix?}
convert{to,path?,cwd?,keepId?,leafId?} prepareCompaction{keepRecentTokens?,reserveTokens?}
compact{summary,shortSummary?,keepRecentTokens?,reserveTokens?,details?,usage?,stored?}`

// sample is a session with two branches, a label, settings, a compaction,
// bytes that no encoder would write and a field that nobody knows.
const sample = `{"type":"session","version":3,"id":"0badc0de00000001","timestamp":"2026-02-16T10:20:30.000Z","cwd":"/w/one","title":"First","extra":1.50}
{"type":"message","id":"u1","parentId":null,"timestamp":"2026-02-16T10:21:00.000Z","message":{"role":"user","content":"one \ud800 <&>","timestamp":1}}
{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-02-16T10:21:01.000Z","message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"text","text":"r1"}],"usage":{"input":10,"output":2,"cacheRead":3,"cacheWrite":4,"premiumRequests":1,"cost":{"total":0.25}},"stopReason":"stop","timestamp":12345678901234567890}}
{"type":"model_change","id":"m1","parentId":"a1","timestamp":"2026-02-16T10:21:02.000Z","model":"p/big","role":"default"}
{"type":"thinking_level_change","id":"t1","parentId":"m1","timestamp":"2026-02-16T10:21:03.000Z","thinkingLevel":"high"}
{"type":"message","id":"u2","parentId":"t1","timestamp":"2026-02-16T10:21:04.000Z","message":{"role":"user","content":"two","timestamp":2}}
{"type":"label","id":"l1","parentId":"u2","timestamp":"2026-02-16T10:21:05.000Z","targetId":"a1","label":"start"}
{"type":"message","id":"u3","parentId":"a1","timestamp":"2026-02-16T10:21:06.000Z","message":{"role":"user","content":"other way","timestamp":3}}
{"type":"compaction","id":"c1","parentId":"u3","timestamp":"2026-02-16T10:21:07.000Z","summary":"so far","firstKeptEntryId":"u3","tokensBefore":1000}
{"type":"nobody_knows","id":"x1","parentId":"c1","timestamp":"2026-02-16T10:21:08.000Z","z":1e400}
{"type":"message","id":"a3","parentId":"x1","timestamp":"2026-02-16T10:21:09.000Z","message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"text","text":"r3"}],"usage":{"input":5,"output":1,"cost":{"total":0.5}},"stopReason":"stop","timestamp":4}}
`

// A pair is the same session twice: one for the server, one for the library.
type pair struct {
	*client
	handle string
	path   string
	lib    *session.Session
	// made are the ids of new entries, the server's and the library's.
	made [2][]string
}

func newPair(t *testing.T, c *client) *pair {
	t.Helper()
	p := &pair{client: c, path: c.write("a/2026-02-16T10-20-30-000Z_0badc0de00000001.jsonl", sample)}
	p.handle = c.open("open", `{"path":`+quoted(p.path)+`}`)
	o := c.options()
	o.NoDrafts = true
	var err error
	p.lib, err = session.Open(t.Context(), c.write("b/2026-02-16T10-20-30-000Z_0badc0de00000001.jsonl", sample), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.lib.Close() })
	return p
}

// same compares an answer with what the library says.
func (p *pair) same(method, params string, want entry.JSON, err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
	if got := p.on(p.handle, method, params); string(got) != string(want) {
		p.t.Errorf("%s{%s}\n got %s\nwant %s", method, params, got, want)
	}
}

// wrote compares the last line of both files after a call whose answer is the
// id of a new entry, the ids of the new entries themselves aside.
func (p *pair) wrote(method, params string, do func() (entry.ID, error)) {
	p.t.Helper()
	id := unquoted(p.on(p.handle, method, params))
	lib, err := do()
	if err != nil {
		p.t.Fatal(err)
	}
	got, want := lastLine(p.t, p.path), lastLine(p.t, p.lib.Path())
	if stored, _ := jsonedit.Text(got, "id"); stored != id {
		p.t.Errorf("%s = %q, the file ends with %s", method, id, got)
	}
	p.made[0], p.made[1] = append(p.made[0], id), append(p.made[1], lib)
	got, want = plainLine(got, p.made[0]), plainLine(want, p.made[1])
	if string(got) != string(want) {
		p.t.Errorf("%s{%s}\n got %s\nwant %s", method, params, got, want)
	}
}

func (p *pair) appended(method, params string, body entry.Body) {
	p.t.Helper()
	p.wrote(method, params, func() (entry.ID, error) { return p.lib.Append(p.t.Context(), body) })
}

// plainLine returns a line with nothing in it that differs between two runs.
func plainLine(line entry.JSON, made []string) entry.JSON {
	text := string(jsonedit.Set(line, "timestamp", null))
	for i, id := range made {
		text = strings.ReplaceAll(text, id, fmt.Sprintf("new-%d", i))
	}
	return entry.JSON(text)
}

var null = entry.JSON("null")

func fileLines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func lastLine(t *testing.T, path string) entry.JSON {
	t.Helper()
	all := fileLines(t, path)
	return entry.JSON(all[len(all)-1])
}

// sameFile compares two files but for their headers.
func sameFile(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(fileLines(t, want)[1:], fileLines(t, got)[1:]); diff != "" {
		t.Errorf("entries of %s (-library +server):\n%s", got, diff)
	}
}

func rawArray(entries iter.Seq2[entry.Entry, error]) (entry.JSON, error) {
	all, err := gathered(entries)
	var raw jsonedit.Array
	for _, e := range all {
		raw.Add(e.Raw())
	}
	return raw.Value(), err
}

// gathered returns the entries of a sequence, up to the first that cannot be read.
func gathered(entries iter.Seq2[entry.Entry, error]) (all []entry.Entry, err error) {
	for e, err := range entries {
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
	return all, nil
}

func rawEntry(e entry.Entry, err error) (entry.JSON, error) { return e.Raw(), err }

// TestEveryMethod calls every method that is promised from another process and
// compares what it does with what the library does.
func TestEveryMethod(t *testing.T) { everyMethod(t, "") }

func everyMethod(t *testing.T, over string) {
	promised := strings.Fields(published)
	there := rpc.Methods()
	slices.Sort(there)
	sorted := slices.Sorted(slices.Values(promised))
	if diff := cmp.Diff(sorted, there); diff != "" {
		t.Errorf("methods (-promised +there):\n%s", diff)
	}
	tests := methodTests()
	for _, signature := range promised {
		name, _, _ := strings.Cut(signature, "{")
		test, ok := tests[name]
		if !ok {
			t.Errorf("no test for method %q", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newPair(t, startOver(t, over)))
		})
		delete(tests, name)
	}
	for name := range tests {
		t.Errorf("test for %q, which is not promised", name)
	}
}

// TestParametersOfEveryMethod gives every method a parameter that it does not
// take, leaves out each that it needs, and gives each the wrong type.
func TestParametersOfEveryMethod(t *testing.T) {
	p := newPair(t, start(t))
	refused := func(method, parameter string, params []string) {
		t.Helper()
		fault := p.refused(-32602, method, "{"+strings.Join(params, ",")+"}")
		if got, _ := jsonedit.Path(fault, "data", "parameter"); unquoted(got) != parameter {
			t.Errorf("%s {%s}: %s, want parameter %q named", method, strings.Join(params, ","), fault, parameter)
		}
	}
	for _, signature := range strings.Fields(published) {
		name, list, _ := strings.Cut(strings.TrimSuffix(signature, "}"), "{")
		var params []string
		if onSession(name) {
			params = append(params, `"handle":`+p.handle)
		}
		refused(name, "unheard", append(slices.Clip(params), `"unheard":null`))
		if list == "" {
			continue
		}
		for parameter := range strings.SplitSeq(list, ",") {
			parameter, optional := strings.CutSuffix(parameter, "?")
			if wrong := wrongValue(name, parameter); wrong != "" {
				refused(name, parameter, append(slices.Clip(params), quoted(parameter)+":"+wrong))
			}
			if !optional {
				refused(name, parameter, params)
				params = append(params, quoted(parameter)+":"+rightValue(name, parameter))
			}
		}
	}
	p.same("getEntries", "", entry.JSON("["+strings.Join(fileLines(t, p.path)[1:], ",")+"]"), nil)
}

// onSession reports whether a method needs a handle.
func onSession(name string) bool {
	schema, required := parameter(name, "handle")
	return schema != nil && required
}

// parameter returns what the document says of a parameter.
func parameter(method, name string) (schema entry.JSON, required bool) {
	params, _ := jsonedit.Get(described()[method], "params")
	for p := range jsonedit.Elements(params) {
		if got, _ := jsonedit.Text(p, "name"); got == name {
			schema, _ = jsonedit.Get(p, "schema")
			needed, _ := jsonedit.Get(p, "required")
			return schema, string(needed) == "true"
		}
	}
	return nil, false
}

// wrongValue returns what a parameter cannot be, "" for one that can be anything.
func wrongValue(method, name string) string {
	schema, _ := parameter(method, name)
	for _, v := range []string{"7", `"1"`} {
		if valid(schema, entry.JSON(v), "") != nil {
			return v
		}
	}
	return ""
}

// rightValue returns what a needed parameter can be.
func rightValue(method, name string) string {
	schema, _ := parameter(method, name)
	if enum, ok := jsonedit.Get(schema, "enum"); ok {
		for v := range jsonedit.Elements(enum) {
			return string(v)
		}
	}
	for _, v := range []string{`"/u1"`, "1", "true", "[]", "{}"} {
		if valid(schema, entry.JSON(v), "") == nil {
			return v
		}
	}
	return "null"
}

// aboutTests are of the methods about the server, which TestInitialize and
// TestOpenRPCDocument hold.
func aboutTests() map[string]func(p *pair) {
	return map[string]func(p *pair){
		"initialize":   func(p *pair) { p.call("initialize", `{}`) },
		"rpc.discover": func(p *pair) { p.call("rpc.discover", `{}`) },
	}
}

func methodTests() map[string]func(p *pair) {
	all := map[string]func(p *pair){}
	for _, part := range []map[string]func(p *pair){aboutTests(), openTests(), historyTests(), appendTests(), readTests(), contextTests(), wholeTests(), keptTests(), seekTests(), tendTests()} {
		for name, test := range part {
			all[name] = test
		}
	}
	return all
}

func appendTests() map[string]func(p *pair) {
	yes := true
	level := "low"
	return map[string]func(p *pair){
		"append": func(p *pair) {
			const body = `{"type":"message","message":{"role":"user","content":"\ud800 1e400","n":1e400,"timestamp":12345678901234567890}}`
			b, err := entry.ParseBody([]byte(body))
			if err != nil {
				p.t.Fatal(err)
			}
			p.appended("append", `"body":`+body, b)
			if got := lastLine(p.t, p.path); !strings.Contains(string(got), `{"role":"user","content":"\ud800 1e400","n":1e400,"timestamp":12345678901234567890}`) {
				p.t.Errorf("stored %s, want the message byte for byte", got)
			}
			p.appended("append", `"body":{"type":"of_our_own","k":[1,{}]}`,
				&entry.Verbatim{Name: "of_our_own", Members: entry.JSON(`{"k":[1,{}]}`)})
			p.refused(-32602, "append", onHandle(p.handle, `"body":{"type":"session","id":"x"}`))
			p.refused(-32602, "append", onHandle(p.handle, `"body":{"type":"message","message":7}`))
		},
		"appendServiceTierChange": func(p *pair) {
			p.appended("appendServiceTierChange", `"serviceTier":"priority"`, &entry.ServiceTierChangeBody{ServiceTier: entry.JSON(`"priority"`)})
		},
		"appendContextEdit": func(p *pair) {
			p.wrote("appendContextEdit", `"targetId":"u3","replacement":{"content":"shorter"}`, func() (entry.ID, error) {
				return p.lib.EditContext(p.t.Context(), "u3", entry.JSON(`{"content":"shorter"}`))
			})
			p.refused(-32001, "appendContextEdit", onHandle(p.handle, `"targetId":"nobody","replacement":null`))
		},
		"appendUsage": func(p *pair) {
			p.appended("appendUsage", `"kind":"k","provider":"p","model":"m","usage":{"input":1},"note":"n"`,
				&entry.UsageBody{UsageKind: "k", Provider: "p", Model: "m", Usage: entry.JSON(`{"input":1}`), Note: "n"})
		},
		"appendResetBoundary": func(p *pair) { p.appended("appendResetBoundary", "", &entry.ResetBoundaryBody{}) },
		"appendCredentialPin": func(p *pair) {
			p.appended("appendCredentialPin", `"provider":"p","hash":"h"`, &entry.CredentialPinBody{Provider: "p", Hash: "h"})
		},
		"appendMessage": func(p *pair) {
			const message = `{"role":"assistant","content":[{"type":"text","text":"\u00e9é"}],"x":1.0}`
			p.appended("appendMessage", `"message":`+message, &entry.MessageBody{Message: entry.JSON(message)})
			p.refused(-32602, "appendMessage", onHandle(p.handle, `"message":{"content":"x"}`))
		},
		"appendThinkingLevelChange": func(p *pair) {
			p.appended("appendThinkingLevelChange", `"thinkingLevel":"low"`, &entry.ThinkingLevelChangeBody{ThinkingLevel: &level})
			p.appended("appendThinkingLevelChange", `"thinkingLevel":null`, &entry.ThinkingLevelChangeBody{})
		},
		"appendModelChange": func(p *pair) {
			p.appended("appendModelChange", `"provider":"p","modelId":"m/n"`, &entry.ModelChangeBody{Model: "p/m/n"})
			p.appended("appendModelChange", `"model":"p/m","role":"smol"`, &entry.ModelChangeBody{Model: "p/m", Role: "smol"})
			p.appended("appendModelChange", `"model":"alone"`, &entry.ModelChangeBody{Model: "alone"})
			for _, params := range []string{`"provider":"p"`, `"modelId":"p"`, `"role":"r"`, `"model":"a/b","modelId":"b"`, ``} {
				p.refused(-32602, "appendModelChange", onHandle(p.handle, params))
			}
			path := p.write("pi.jsonl", "")
			pi := p.open("open", `{"agent":"pi","path":`+quoted(path)+`}`)
			p.on(pi, "appendModelChange", `"model":"p/m/n"`)
			if got := string(lastLine(p.t, path)); !strings.Contains(got, `"provider":"p","modelId":"m/n"`) {
				p.t.Errorf("pi session got %s", got)
			}
		},
		"appendCompaction": func(p *pair) {
			p.appended("appendCompaction", `"summary":"s","firstKeptEntryId":"u1","tokensBefore":42000`,
				&entry.CompactionBody{Summary: "s", FirstKeptEntryID: "u1", TokensBefore: 42000})
			p.appended("appendCompaction",
				`"summary":"s","firstKeptEntryId":"u1","tokensBefore":1,"shortSummary":"t","details":{"a":[1.0]},"fromHook":true,"preserveData":null`,
				&entry.CompactionBody{
					Summary: "s", FirstKeptEntryID: "u1", TokensBefore: 1, ShortSummary: "t",
					Details: entry.JSON(`{"a":[1.0]}`), FromExtension: &yes, PreserveData: null,
				})
			p.refused(-32602, "appendCompaction", onHandle(p.handle, `"summary":"s","firstKeptEntryId":"u1","tokensBefore":1.5`))
			p.refused(-32602, "appendCompaction", onHandle(p.handle,
				`"summary":"s","firstKeptEntryId":"u1","tokensBefore":1,"fromHook":true,"fromExtension":false`))
		},
		"appendCustomEntry": func(p *pair) {
			p.appended("appendCustomEntry", `"customType":"e","data":null`, &entry.CustomBody{CustomType: "e", Data: null})
			p.appended("appendCustomEntry", `"customType":"e"`, &entry.CustomBody{CustomType: "e"})
		},
		"appendCustomMessageEntry": func(p *pair) {
			p.appended("appendCustomMessageEntry", `"customType":"e","content":"c","display":false`,
				&entry.CustomMessageBody{CustomType: "e", Content: entry.JSON(`"c"`)})
			p.appended("appendCustomMessageEntry",
				`"customType":"e","content":[{"type":"text","text":"c"}],"display":true,"details":[1],"attribution":"agent"`,
				&entry.CustomMessageBody{
					CustomType: "e", Content: entry.JSON(`[{"type":"text","text":"c"}]`), Display: true,
					Details: entry.JSON(`[1]`), Attribution: "agent",
				})
			p.refused(-32602, "appendCustomMessageEntry", onHandle(p.handle, `"customType":"e","content":7,"display":true`))
			p.refused(-32602, "appendCustomMessageEntry", onHandle(p.handle, `"customType":"e","content":"","display":true,"attribution":"cat"`))
		},
		"appendSessionInfo": func(p *pair) {
			p.appended("appendSessionInfo", `"name":" A  name "`, &entry.SessionInfoBody{Name: "A name"})
			path := p.write("pi.jsonl", "")
			pi := p.open("open", `{"agent":"pi","path":`+quoted(path)+`}`)
			id := unquoted(p.on(pi, "appendSessionInfo", `"name":"two\nlines "`))
			line := lastLine(p.t, path)
			if name, _ := jsonedit.Text(line, "name"); name != "two lines" {
				p.t.Errorf("stored %s", line)
			}
			if stored, _ := jsonedit.Text(line, "id"); stored != id || id == "" {
				p.t.Errorf("answered %q, stored %s", id, line)
			}
			if got := unquoted(p.on(pi, "getSessionName", "")); got != "two lines" {
				p.t.Errorf("name %q", got)
			}
		},
		"appendLabelChange": func(p *pair) {
			p.appended("appendLabelChange", `"targetId":"u1","label":"here"`, &entry.LabelBody{TargetID: "u1", Label: "here"})
			p.appended("appendLabelChange", `"targetId":"u1","label":null`, &entry.LabelBody{TargetID: "u1"})
			fault := p.refused(-32001, "appendLabelChange", onHandle(p.handle, `"targetId":"gone","label":"x"`))
			if got, _ := jsonedit.Text(fault, "message"); got != "Entry gone not found" {
				p.t.Errorf("message %q", got)
			}
		},
		"appendModeChange": func(p *pair) {
			p.appended("appendModeChange", `"mode":"plan","data":{"planFile":"/p"}`,
				&entry.ModeChangeBody{Mode: "plan", Data: entry.JSON(`{"planFile":"/p"}`)})
		},
		"appendTtsrInjection": func(p *pair) {
			p.appended("appendTtsrInjection", `"injectedRules":["a","b"]`, &entry.TTSRInjectionBody{InjectedRules: []string{"a", "b"}})
			p.refused(-32602, "appendTtsrInjection", onHandle(p.handle, `"injectedRules":["a",1]`))
		},
		"appendSessionInit": func(p *pair) {
			p.appended("appendSessionInit", `"systemPrompt":"s","task":"t","tools":["read"],"outputSchema":{"type":"object"}`,
				&entry.SessionInitBody{SystemPrompt: "s", Task: "t", Tools: []string{"read"}, OutputSchema: entry.JSON(`{"type":"object"}`)})
		},
	}
}

func readTests() map[string]func(p *pair) {
	text := func(method string, what func(p *pair) string) func(p *pair) {
		return func(p *pair) { p.same(method, "", jsonedit.Quoted(what(p)), nil) }
	}
	return map[string]func(p *pair){
		"isPersisted": func(p *pair) {
			p.same("isPersisted", "", jsonedit.BoolValue(p.lib.Persisted()), nil)
			if got := p.on(p.open("inMemory", `{}`), "isPersisted", ""); string(got) != "false" {
				p.t.Errorf("in memory: %s", got)
			}
		},
		"getCwd":         text("getCwd", func(p *pair) string { return p.lib.CWD() }),
		"getSessionDir":  text("getSessionDir", func(p *pair) string { return filepath.Join(p.home, "a") }),
		"getSessionId":   text("getSessionId", func(p *pair) string { return p.lib.ID() }),
		"getSessionFile": text("getSessionFile", func(p *pair) string { return p.path }),
		"getSessionName": text("getSessionName", func(p *pair) string { return "First" }),
		"getHeader": func(p *pair) {
			p.same("getHeader", "", p.lib.HeaderJSON(), nil)
			if !strings.Contains(string(p.on(p.handle, "getHeader", "")), `"extra":1.50`) {
				p.t.Error("a field that nobody knows is gone")
			}
		},
		"getLeafId": func(p *pair) {
			p.same("getLeafId", "", jsonedit.Quoted("a3"), nil)
			p.on(p.handle, "resetLeaf", "")
			p.same("getLeafId", "", null, nil)
		},
		"getLeafEntry": func(p *pair) {
			want, err := rawEntry(p.lib.Entry("a3"))
			p.same("getLeafEntry", "", want, err)
			p.on(p.handle, "resetLeaf", "")
			p.same("getLeafEntry", "", null, nil)
		},
		"getEntry": func(p *pair) {
			want, err := rawEntry(p.lib.Entry("u1"))
			p.same("getEntry", `"id":"u1"`, want, err)
			if string(want) != fileLines(p.t, p.path)[1] {
				p.t.Errorf("not byte for byte: %s", want)
			}
			p.same("getEntry", `"id":"gone"`, null, nil)
		},
		"getEntries": func(p *pair) {
			var all jsonedit.Array
			for e, err := range p.lib.Entries(p.t.Context()) {
				if err != nil {
					p.t.Fatal(err)
				}
				all.Add(e.Raw())
			}
			p.same("getEntries", "", all.Value(), nil)
		},
		"getChildren": func(p *pair) {
			parent := "a1"
			want, err := rawArray(p.lib.Children(&parent))
			p.same("getChildren", `"parentId":"a1"`, want, err)
			want, err = rawArray(p.lib.Children(nil))
			p.same("getChildren", `"parentId":null`, want, err)
			p.same("getChildren", `"parentId":"gone"`, entry.JSON("[]"), nil)
		},
		"getLabel": func(p *pair) {
			p.same("getLabel", `"id":"a1"`, jsonedit.Quoted("start"), nil)
			p.same("getLabel", `"id":"u1"`, null, nil)
		},
		"getBranch": func(p *pair) {
			want, err := rawArray(p.lib.Branch(nil))
			p.same("getBranch", "", want, err)
			p.same("getBranch", `"fromId":null`, want, err)
			from := "u2"
			want, err = rawArray(p.lib.Branch(&from))
			p.same("getBranch", `"fromId":"u2"`, want, err)
			p.same("getBranch", `"fromId":"gone"`, entry.JSON("[]"), nil)
		},
		"getTree": func(p *pair) {
			want, err := tree.Of(p.lib.Tree()).AppendJSON(nil, tree.Strict)
			p.same("getTree", "", want, err)
			root, _ := jsonedit.Path(slices.Collect(jsonedit.Elements(want))[0], "entry", "id")
			if unquoted(root) != "u1" || !strings.Contains(string(want), `"label":"start"`) {
				p.t.Errorf("tree %s", want)
			}
		},
		"getUsageStatistics": func(p *pair) {
			p.same("getUsageStatistics", "",
				entry.JSON(`{"input":15,"output":3,"cacheRead":3,"cacheWrite":4,"premiumRequests":1,"cost":0.75}`), nil)
			u, err := p.lib.Usage(p.t.Context())
			if err != nil || u.Input != 15 || u.Cost != 0.75 {
				p.t.Errorf("library: %+v, %v", u, err)
			}
		},
	}
}

func libContext(p *pair, o session.ContextOptions) entry.JSON {
	p.t.Helper()
	built, err := p.lib.Context(p.t.Context(), o)
	if err != nil {
		p.t.Fatal(err)
	}
	var out strings.Builder
	out.WriteString(`{"messages":`)
	if err := built.WriteMessages(&out); err != nil {
		p.t.Fatal(err)
	}
	return append(built.AppendState([]byte(out.String()+","), replay.FullShape), '}')
}

// find lists with the library.
func find(p *pair, o catalog.Options) []catalog.Info {
	p.t.Helper()
	o.Env = environment(p.home)
	all, err := catalog.List(context.Background(), o)
	if err != nil {
		p.t.Fatal(err)
	}
	return all
}
