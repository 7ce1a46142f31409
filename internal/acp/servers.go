package acp

import (
	"context"
	"fmt"
	"net/http"
	"reflect"

	"github.com/cambium-dev/cambium/internal/coder"
	"github.com/cambium-dev/cambium/internal/coder/tool"
	"github.com/cambium-dev/cambium/internal/mcp"
	"github.com/coder/acp-go-sdk"
)

// A place is where a client wants to work, and whose tools it wants used there.
type place struct {
	dir     string
	servers []mcp.Server
}

// place checks what a client says of it.
func (s *server) place(cwd string, more []string, servers []acp.McpServer) (place, error) {
	if len(more) > 0 {
		return place{}, badParams("additionalDirectories: this agent works in one directory")
	}
	dir, err := directory(cwd)
	if err != nil {
		return place{}, err
	}
	p := place{dir: dir}
	for i, one := range servers {
		known, err := serverOf(one)
		if err != nil {
			return place{}, badParams("mcpServers[%d]: %v", i, err)
		}
		p.servers = append(p.servers, known)
	}
	return p, nil
}

// serverOf is a server of tools as a client names it.
func serverOf(one acp.McpServer) (mcp.Server, error) {
	switch {
	case one.Stdio != nil:
		x := mcp.Server{Name: one.Stdio.Name, Command: one.Stdio.Command, Args: one.Stdio.Args}
		for _, v := range one.Stdio.Env {
			x.Env = append(x.Env, v.Name+"="+v.Value)
		}
		return x, nil
	case one.Http != nil:
		return mcp.Server{Name: one.Http.Name, URL: one.Http.Url, Header: headerOf(one.Http.Headers)}, nil
	case one.Sse != nil:
		return mcp.Server{Name: one.Sse.Name, URL: one.Sse.Url, Header: headerOf(one.Sse.Headers), Events: true}, nil
	}
	return mcp.Server{}, fmt.Errorf("this agent knows stdio, http and sse")
}

func headerOf(all []acp.HttpHeader) http.Header {
	h := http.Header{}
	for _, one := range all {
		h.Add(one.Name, one.Value)
	}
	return h
}

// stableServers are the servers of a fork in the types of the other calls.
func stableServers(all []acp.UnstableMcpServer) []acp.McpServer {
	var out []acp.McpServer
	for _, one := range all {
		x := acp.McpServer{Stdio: one.Stdio}
		if h := one.Http; h != nil {
			x.Http = &acp.McpServerHttpInline{Name: h.Name, Url: h.Url, Headers: h.Headers}
		}
		if h := one.Sse; h != nil {
			x.Sse = &acp.McpServerSseInline{Name: h.Name, Url: h.Url, Headers: h.Headers}
		}
		out = append(out, x)
	}
	return out
}

// A held session is the toolbox of its coder.
var _ coder.Toolbox = (*held)(nil)

// Tools returns the tools of the servers that the client named.
func (h *held) Tools(ctx context.Context) []tool.Tool {
	h.mu.Lock()
	box := h.box
	h.mu.Unlock()
	if box == nil {
		return nil
	}
	return box.Tools(ctx)
}

// use starts the servers that a client names, and ends those that it does not name
// any more. Those it named before stay as they are.
func (h *held) use(p place) {
	h.mu.Lock()
	was, same := h.box, reflect.DeepEqual(h.servers, p.servers)
	if same {
		h.mu.Unlock()
		return
	}
	h.servers, h.box = p.servers, nil
	if len(p.servers) > 0 {
		h.box = mcp.Open(p.servers, mcp.Options{
			Dir: p.dir, Environ: h.s.o.Environ, Version: h.s.o.Version,
			Say: func(line string) { h.tell(coder.Notice{Text: line}) },
		})
	}
	h.mu.Unlock()
	if was != nil {
		was.Close()
	}
}
