package mcp

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/cambium-dev/cambium/internal/coder/tool"
)

// A Server says how a server of tools is reached: one that is started with
// Command, or one at URL.
type Server struct {
	// Name is what a person calls it.
	Name string
	// Command is the program, Args its arguments and Env variables that it has
	// beside those of Options.Environ, as os.Environ gives them.
	Command   string
	Args, Env []string
	// URL is asked over HTTP, with Header in every request to that host; by the
	// older transport of server-sent events where Events is set.
	URL    string
	Header http.Header
	Events bool
}

// Options say where servers work.
type Options struct {
	// Dir is the directory of the session, absolute: programs are started in it,
	// and all servers are told of it.
	Dir string
	// Environ are the variables of programs. It should hold no key of a model.
	Environ []string
	// Version is that of the client.
	Version string
	// Say is told what is wrong with a server, a line at a time, by any
	// goroutine; nil means nobody is.
	Say func(line string)
	// Start is how long a server may take until it has told its tools; 0 means
	// DefaultStart.
	Start time.Duration
}

// DefaultStart is how long a server may take to start.
const DefaultStart = 20 * time.Second

// MaxTools is how many tools of all servers a model is offered: with those that it
// has anyway no more than every provider takes.
const MaxTools = 120

// maxPages is how many pages of its tools a server is asked for.
const maxPages = 50

// A Toolbox has the tools of some servers. It is safe for concurrent use, and
// closed by who opened it.
type Toolbox struct {
	o       Options
	servers []*server
	stop    context.CancelFunc

	mu     sync.Mutex
	cutOff int // guarded by mu; how many tools were told to be left out
}

// Open starts or connects with servers, in the background. Those of one name are
// told apart by a number.
func Open(servers []Server, o Options) *Toolbox {
	if o.Start <= 0 {
		o.Start = DefaultStart
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	ctx, stop := context.WithCancel(context.Background())
	b := &Toolbox{o: o, stop: stop}
	taken := map[string]int{}
	for _, one := range servers {
		name := namePart(one.Name, "server")
		taken[name]++
		if n := taken[name]; n > 1 {
			name = fmt.Sprintf("%s_%d", name, n)
		}
		s := &server{Server: one, o: o, prefix: name, ready: make(chan struct{}), over: make(chan struct{}), meter: meter{flood: make(chan struct{})}}
		b.servers = append(b.servers, s)
		go s.run(ctx)
	}
	return b
}

// Tools returns the tools that the servers have now. The first call waits for
// those that are starting, each for no longer than Options.Start and until one that has
// ended by itself is cleared away, and none longer than ctx. Where the tools of a server
// are missing, Options.Say was told why before Tools returns, unless ctx has ended.
func (b *Toolbox) Tools(ctx context.Context) []tool.Tool {
	var all []tool.Tool
	names := map[string]bool{}
	for _, s := range b.servers {
		for _, t := range s.offered(ctx) {
			if !names[t.spec.Name] { // two that differ in what a name cannot say
				names[t.spec.Name] = true
				all = append(all, t)
			}
		}
	}
	if n := len(all) - MaxTools; n > 0 {
		all = all[:MaxTools]
		b.mu.Lock()
		known := b.cutOff == n
		b.cutOff = n
		b.mu.Unlock()
		if !known {
			b.o.Say(fmt.Sprintf("the MCP servers have %d tools; the model is offered the first %d", n+MaxTools, MaxTools))
		}
	}
	return all
}

// Close ends all servers: programs are asked to end, and killed with all that they
// started when they do not. It returns when they have ended.
func (b *Toolbox) Close() {
	b.stop()
	for _, s := range b.servers {
		<-s.over
	}
}

// toolName is what a model calls a tool (omp 18.2.3): the server's name is not
// said twice.
func toolName(prefix, name string) string {
	name = namePart(name, "tool")
	if rest := strings.TrimPrefix(name, prefix+"_"); rest != "" {
		name = rest
	}
	return shorter("mcp__" + prefix + "_" + name)
}
