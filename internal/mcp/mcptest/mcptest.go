// Package mcptest is a server of the Model Context Protocol for tests: the test's
// own program, started once more, with tools made with the protocol's own library
// and with every way to be a bad one.
//
// A package that needs it has a TestMain that calls [Main].
package mcptest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// variable tells the program that it is a server, and of which kind.
const variable = "CAMBIUM_MCPTEST"

// A Kind is what kind of server one is.
type Kind string

// The kinds.
const (
	// Good has the tools of [Tools].
	Good Kind = "good"
	// Older is a good one that knows the protocol until 2025-11-25 only.
	Older Kind = "older"
	// Many has a thousand tools.
	Many Kind = "many"
	// Mute never answers; Stubborn is mute and does not want to end.
	Mute     Kind = "mute"
	Stubborn Kind = "stubborn"
	// Garbage says what is no message.
	Garbage Kind = "garbage"
	// Ended ends at once, with something to say.
	Ended Kind = "ended"
	// Odd has tools that cannot be offered, beside one that can.
	Odd Kind = "odd"
	// Bare has no tools at all.
	Bare Kind = "bare"
)

// Hostile is the server of the lines of hostile.go that is bad in a way.
func Hostile(way string) Kind { return Kind("hostile " + way) }

// Main is what a TestMain calls: it runs the tests, or the server, and returns the
// exit code.
func Main(run func() int) int {
	kind := os.Getenv(variable)
	if kind == "" {
		return run()
	}
	if err := serve(Kind(kind)); err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "mcptest:", err)
		return 1
	}
	return 0
}

// Command returns the program and the variable of its environment that make a
// server of a kind of this test's program.
func Command(kind Kind) (program, variables string) {
	program, err := os.Executable()
	if err != nil {
		panic("mcptest: " + err.Error()) // a test that has no program
	}
	return program, variable + "=" + string(kind)
}

func serve(kind Kind) error {
	if way, ok := strings.CutPrefix(string(kind), "hostile "); ok {
		return hostile(way)
	}
	switch kind {
	case Mute:
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	case Stubborn:
		child := exec.Command("sleep", "1000")
		if err := child.Start(); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "I stay")
		return child.Wait()
	case Garbage:
		fmt.Println("hello, I am a server")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	case Ended:
		return errors.New("there is no such database")
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "mcptest", Version: "1"}, nil)
	switch kind {
	case Older:
		s.AddReceivingMiddleware(older)
		Tools(s)
	case Good:
		Tools(s)
	case Many:
		for i := range 1000 {
			add(s, fmt.Sprintf("tool_%d", i), "One of many.", func(context.Context, map[string]any) (*mcp.CallToolResult, error) {
				return said(fmt.Sprint(i)), nil
			})
		}
	case Odd:
		add(s, "plain", "The one that can be offered.", func(context.Context, map[string]any) (*mcp.CallToolResult, error) { return said("yes"), nil })
		s.AddTool(&mcp.Tool{Name: "huge", InputSchema: map[string]any{"type": "object", "description": strings.Repeat("x", 100<<10)}}, nothing)
	}
	return s.Run(context.Background(), &mcp.StdioTransport{})
}

// older does not know how clients of the newer protocol begin.
func older(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if method == "server/discover" {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "there is no " + method}
		}
		return next(ctx, method, r)
	}
}

func nothing(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return said("nothing"), nil
}

// Tools adds the tools of a good server: echo, look (which says that it only
// reads), picture, long, structured, fail, refuse, where, wait, die, babble
// and learn (which adds the tool learnt).
func Tools(s *mcp.Server) {
	add(s, "echo", "Says what it is told.", func(_ context.Context, a map[string]any) (*mcp.CallToolResult, error) {
		return said(fmt.Sprintf("echo: %v", a["text"])), nil
	})
	s.AddTool(&mcp.Tool{
		Name: "look", Description: "Looks.", InputSchema: map[string]any{"type": "object"},
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return said("looked"), nil })
	add(s, "picture", "Draws.", func(context.Context, map[string]any) (*mcp.CallToolResult, error) {
		var b bytes.Buffer
		err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2)))
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: "see"}, &mcp.ImageContent{Data: b.Bytes(), MIMEType: "image/png"},
			&mcp.ImageContent{Data: []byte("x"), MIMEType: "image/tiff"}, &mcp.AudioContent{Data: []byte("x"), MIMEType: "audio/wav"},
			&mcp.ResourceLink{URI: "file:///a", Name: "a"}, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///b", Text: "inside"}},
		}}, err
	})
	add(s, "long", "Says much.", func(context.Context, map[string]any) (*mcp.CallToolResult, error) {
		return said(strings.Repeat("a line of it\n", 10_000)), nil
	})
	add(s, "structured", "Answers a program.", func(context.Context, map[string]any) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: map[string]any{"n": 1}}, nil
	})
	add(s, "fail", "Fails.", func(context.Context, map[string]any) (*mcp.CallToolResult, error) {
		r := said("it is broken\x00")
		r.IsError = true
		return r, nil
	})
	add(s, "refuse", "Breaks the protocol.", func(context.Context, map[string]any) (*mcp.CallToolResult, error) {
		return nil, errors.New("I do not want to")
	})
	s.AddTool(&mcp.Tool{Name: "where", Description: "Tells where it is.", InputSchema: map[string]any{"type": "object"}}, where)
	add(s, "wait", "Never answers.", func(ctx context.Context, _ map[string]any) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	add(s, "die", "Ends the server.", func(context.Context, map[string]any) (*mcp.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "farewell")
		os.Exit(7)
		return nil, nil
	})
	add(s, "babble", "Says what is no message.", func(ctx context.Context, _ map[string]any) (*mcp.CallToolResult, error) {
		fmt.Println("{ this is what I have to say")
		<-ctx.Done()
		return nil, ctx.Err()
	})
	add(s, "learn", "Learns.", func(context.Context, map[string]any) (*mcp.CallToolResult, error) {
		add(s, "learnt", "What it has learnt.", func(context.Context, map[string]any) (*mcp.CallToolResult, error) { return said("I know"), nil })
		return said("learning"), nil
	})
}

// where tells the directory, a variable and the roots that the client has.
func where(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("dir=%s colour=%s", dir, os.Getenv("COLOUR"))
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	defer stop()
	//lint:ignore SA1019 what servers of the protocol that is in use ask
	if roots, err := r.Session.ListRoots(ctx, nil); err == nil {
		for _, root := range roots.Roots {
			text += " root=" + root.URI
		}
	}
	return said(text), nil
}

func said(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// add adds a tool that takes anything.
func add(s *mcp.Server, name, words string, f func(context.Context, map[string]any) (*mcp.CallToolResult, error)) {
	mcp.AddTool(s, &mcp.Tool{Name: name, Description: words, InputSchema: map[string]any{"type": "object"}},
		func(ctx context.Context, _ *mcp.CallToolRequest, a map[string]any) (*mcp.CallToolResult, any, error) {
			r, err := f(ctx, a)
			return r, nil, err
		})
}
