package tool

import (
	"context"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/message"
)

// writeTool writes a whole file.
type writeTool struct{ files *locks }

const (
	writeWords = `Write a whole file. Directories on the way to it are made. What the file had before is replaced; its mode
stays. Use edit to change a part of a file.`
	writeForm = `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"The file, absolute or seen from the session's directory."},` +
		`"content":{"type":"string","description":"All that shall be in the file."}` +
		`},"required":["path","content"],"additionalProperties":false}`
)

// Spec implements Tool.
func (writeTool) Spec() provider.Tool { return spec("write", writeWords, writeForm) }

// Changes implements Tool.
func (writeTool) Changes() bool { return true }

// Target implements Targeted.
func (writeTool) Target(arguments message.JSON, env Env) (*Target, error) {
	path, _, err := readWrite(arguments)
	if err != nil {
		return nil, err
	}
	return target(env, path)
}

// readWrite takes the arguments of a call.
func readWrite(arguments message.JSON) (path, content string, err error) {
	a := readArguments(arguments)
	path, content = a.text("path"), a.text("content")
	return path, content, a.err()
}

// Run implements Tool.
func (t writeTool) Run(ctx context.Context, arguments message.JSON, env Env) Result {
	path, content, err := readWrite(arguments)
	if err != nil {
		return failed(err)
	}
	p, err := locate(env, path, false)
	if err != nil {
		return failed(err)
	}
	defer p.close()
	defer t.files.lock(p.real)()
	was, err := p.look()
	if err == nil {
		err = p.agreed(env.Agreed, was)
	}
	if err != nil {
		return failed(err)
	}
	c, known := p.compared(content, was)
	if ctx.Err() != nil {
		return failedIn(ctx, ctx.Err())
	}
	if err := p.save([]byte(content), was); err != nil {
		return failed(err)
	}
	details := struct {
		Path    string `json:"path"`
		Bytes   int    `json:"bytes"`
		Created bool   `json:"created"`
		*change
	}{Path: clean(p.name), Bytes: len(content), Created: was == nil}
	if known {
		details.change = &c
	}
	verb := "replaced"
	if was == nil {
		verb = "made"
	}
	return said(fmt.Sprintf("%s %s: %s, %s", verb, cleanName(p.name), size(int64(len(content))),
		count(int64(len(splitLines(content))), "line")), details)
}

// compared returns how content differs from what is at the place, and whether
// that could be told.
func (p *place) compared(content string, was fs.FileInfo) (change, bool) {
	if was == nil || len(content) > MaxEdit {
		return change{}, false
	}
	data, _, err := p.whole()
	if err != nil || !utf8.Valid(data) || binary(data[:min(len(data), sniffed)]) != "" {
		return change{}, false
	}
	return compare(string(data), content), true
}
