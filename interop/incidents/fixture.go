//go:build linux

package main

import (
	"bytes"
	"fmt"

	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// sessionID is the id of the sessions that recipes begin with.
const sessionID = "0198c2a1-7f00-7000-8000-0123456789ab"

// a session file in the making: line 0 is the header.
type lineList [][]byte

// bytes ends each line with a newline.
func (l lineList) bytes() []byte { return append(bytes.Join(l, []byte("\n")), '\n') }

// header is a header line; version 0 leaves it out.
func header(version int, cwd string) []byte {
	return fmt.Appendf(nil, `{"type":"session","version":%d,"id":%q,"timestamp":"2026-03-01T10:00:00.000Z","cwd":%q}`, version, sessionID, cwd)
}

// name of entry i.
func name(i int) string { return fmt.Sprintf("e%07d", i) }

// fixture is a header and n chained messages, user and assistant in turn, whose
// texts are "text " and their id.
func fixture(cwd string, n int) lineList {
	l := lineList{header(3, cwd)}
	parent := ""
	for i := range n {
		l = append(l, message(name(i), parent, i))
		parent = name(i)
	}
	return l
}

// message is the line of a message; an even n is the user's.
func message(id, parent string, n int) []byte {
	m := userMessage("text " + id)
	if n%2 == 1 {
		m = assistant("text " + id)
	}
	return messageLine(id, parent, m.Int("timestamp", int64(1772359200000+n*1000)).Value(), n)
}

// messageLine is the line of an entry with a message.
func messageLine(id, parent string, m entry.JSON, n int) []byte {
	o := new(jsonedit.Object).String("type", "message").String("id", id)
	if parent == "" {
		o.Add("parentId", entry.JSON("null"))
	} else {
		o.String("parentId", parent)
	}
	return o.String("timestamp", jsonedit.FormatTime(int64(1772359200000+n*1000))).Add("message", m).Value()
}

func userMessage(text string) *jsonedit.Object {
	return new(jsonedit.Object).String("role", "user").Add("content", textBlocks(text))
}

func textBlocks(text string) entry.JSON {
	return new(jsonedit.Array).Add(new(jsonedit.Object).String("type", "text").String("text", text).Value()).Value()
}

// assistant is an answer with all that the programs write in one.
func assistant(text string) *jsonedit.Object {
	return new(jsonedit.Object).String("role", "assistant").Add("content", textBlocks(text)).
		String("api", "anthropic-messages").String("provider", "anthropic").String("model", "claude-x").
		Add("usage", entry.JSON(`{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,`+
			`"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`)).
		String("stopReason", "stop")
}

// titleSlot is omp's first line, without its newline.
func titleSlot(title string) []byte {
	slot := spelling.FormatSlot(title, dialect.UserTitle, "2026-03-01T10:00:00.000Z")
	return slot[:len(slot)-1]
}

// deep is JSON nested n deep.
func deep(n int) []byte {
	return append(bytes.Repeat([]byte("["), n), bytes.Repeat([]byte("]"), n)...)
}

// splitText is the Go string of a JSON one.
func splitText(v []byte) (string, bool) { return jsonedit.String(v) }
