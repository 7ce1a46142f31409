package places_test

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cambium-dev/cambium/internal/places"
	"github.com/cambium-dev/cambium/layout"
)

// vars returns an environment of name, value pairs.
func vars(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// sha is the SHA-256 of s in hex.
func sha(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// full is a Place with everything in one agent directory.
func full(name, agent string) places.Place {
	return places.Place{
		Name:        name,
		Agent:       agent,
		Sessions:    agent + "/sessions",
		Blobs:       agent + "/blobs",
		Breadcrumbs: agent + "/terminal-sessions",
		History:     agent + "/history.db",
	}
}

func ompPlace(agent string) places.Place {
	p := full("omp", agent)
	p.Custom = agent + "/custom-session-files"
	p.Pins = agent + "/session-pins.json"
	return p
}

func piPlace(agent string) places.Place {
	return places.Place{Name: "pi", Agent: agent, Sessions: agent + "/sessions", Stray: agent}
}

func TestFor(t *testing.T) {
	with := func(p places.Place, change func(*places.Place)) places.Place {
		change(&p)
		return p
	}
	tests := []struct {
		title, name string
		vars        []string
		exists      []string
		over        layout.Overrides
		want        places.Place
	}{
		{title: "published", name: "cambium", want: full("cambium", "/home/alice/.cambium/agent")},
		{title: "pi", name: "pi", want: piPlace("/home/alice/.pi/agent")},
		{title: "omp", name: "omp", want: ompPlace("/home/alice/.omp/agent")},
		{title: "xcsh", name: "xcsh", want: full("xcsh", "/home/alice/.xcsh/agent")},
		{title: "unknown", name: "other", want: places.Place{}},
		{
			title: "own variable", name: "cambium", vars: []string{"CAMBIUM_AGENT_DIR", "~/c", "PI_CODING_AGENT_DIR", "/no", "PI_CONFIG_DIR", ".no"},
			want: full("cambium", "/home/alice/c"),
		},
		{
			title: "no XDG for cambium", name: "cambium", vars: []string{"XDG_DATA_HOME", "/d"}, exists: []string{"/d/cambium"},
			want: full("cambium", "/home/alice/.cambium/agent"),
		},
		{title: "pi tilde", name: "pi", vars: []string{"PI_CODING_AGENT_DIR", "~/p"}, want: piPlace("/home/alice/p")},
		{title: "pi bare tilde", name: "pi", vars: []string{"PI_CODING_AGENT_DIR", "~"}, want: piPlace("/home/alice")},
		{title: "pi URL", name: "pi", vars: []string{"PI_CODING_AGENT_DIR", "file:///a%20b/%7e"}, want: piPlace("/a b/~")},
		{title: "pi bad URL", name: "pi", vars: []string{"PI_CODING_AGENT_DIR", "file:///a%2"}, want: piPlace("/work/file:/a%2")},
		{title: "pi ignores PI_CONFIG_DIR", name: "pi", vars: []string{"PI_CONFIG_DIR", ".x"}, want: piPlace("/home/alice/.pi/agent")},
		{
			title: "rebranded pi", name: "pi", vars: []string{"TAU_CODING_AGENT_SESSION_DIR", "/s", "PI_CODING_AGENT_DIR", "/no"},
			over: layout.Overrides{Brand: "tau", BrandDir: ".tau"},
			want: with(piPlace("/home/alice/.tau/agent"), func(p *places.Place) { p.Flat = "/s" }),
		},
		{
			title: "session dir: flag first", name: "pi", vars: []string{"PI_CODING_AGENT_SESSION_DIR", "/env"},
			over: layout.Overrides{SessionDir: "flag", Setting: "/setting"},
			want: with(piPlace("/home/alice/.pi/agent"), func(p *places.Place) { p.Flat = "/work/flag" }),
		},
		{
			title: "session dir: then the environment", name: "pi", vars: []string{"PI_CODING_AGENT_SESSION_DIR", "~/env"},
			over: layout.Overrides{Setting: "/setting"},
			want: with(piPlace("/home/alice/.pi/agent"), func(p *places.Place) { p.Flat = "/home/alice/env" }),
		},
		{
			title: "session dir: then the setting", name: "pi", over: layout.Overrides{Setting: "~/s"},
			want: with(piPlace("/home/alice/.pi/agent"), func(p *places.Place) { p.Flat = "/home/alice/s" }),
		},
		{
			title: "omp session dir", name: "omp", vars: []string{"PI_CODING_AGENT_SESSION_DIR", "/env"}, over: layout.Overrides{Setting: "/no"},
			want: with(ompPlace("/home/alice/.omp/agent"), func(p *places.Place) { p.Flat = "/env" }),
		},
		{
			title: "xcsh has no variable for it", name: "xcsh", vars: []string{"PI_CODING_AGENT_SESSION_DIR", "/env"},
			want: full("xcsh", "/home/alice/.xcsh/agent"),
		},
		{title: "config dir", name: "omp", vars: []string{"PI_CONFIG_DIR", "cfg/o"}, want: ompPlace("/home/alice/cfg/o/agent")},
		{title: "omp expands no tilde", name: "omp", vars: []string{"PI_CODING_AGENT_DIR", "~/o"}, want: ompPlace("/work/~/o")},
		{title: "xcsh variable", name: "xcsh", vars: []string{"PI_CODING_AGENT_DIR", "/x/../y/"}, want: full("xcsh", "/y")},
		{
			title: "flag above variable", name: "xcsh", vars: []string{"PI_CODING_AGENT_DIR", "/no"}, over: layout.Overrides{AgentDir: "/flag"},
			want: full("xcsh", "/flag"),
		},
		{
			title: "profile", name: "omp", vars: []string{"OMP_PROFILE", "p1", "PI_CODING_AGENT_DIR", "/no"},
			want: ompPlace("/home/alice/.omp/profiles/p1/agent"),
		},
		{title: "profile by the older name", name: "omp", vars: []string{"PI_PROFILE", "p2"}, want: ompPlace("/home/alice/.omp/profiles/p2/agent")},
		{title: "profile default", name: "omp", vars: []string{"OMP_PROFILE", "default", "PI_PROFILE", "p2"}, want: ompPlace("/home/alice/.omp/agent")},
		{title: "profile unusable", name: "omp", vars: []string{"OMP_PROFILE", "../up"}, want: ompPlace("/home/alice/.omp/agent")},
		{title: "profile of xcsh", name: "xcsh", vars: []string{"OMP_PROFILE", "p1"}, want: full("xcsh", "/home/alice/.xcsh/agent")},
		{
			title: "XDG", name: "omp", vars: []string{"XDG_DATA_HOME", "/d", "XDG_STATE_HOME", "/s"}, exists: []string{"/d/omp", "/s/omp"},
			want: places.Place{
				Name: "omp", Agent: "/home/alice/.omp/agent", Pins: "/home/alice/.omp/agent/session-pins.json",
				Sessions: "/d/omp/sessions", Former: "/home/alice/.omp/agent/sessions", Blobs: "/d/omp/blobs", History: "/d/omp/history.db",
				Breadcrumbs: "/s/omp/terminal-sessions", Custom: "/s/omp/custom-session-files",
			},
		},
		{
			title: "XDG that does not exist", name: "omp", vars: []string{"XDG_DATA_HOME", "/d"},
			want: ompPlace("/home/alice/.omp/agent"),
		},
		{
			title: "XDG state only", name: "xcsh", vars: []string{"XDG_DATA_HOME", "/d", "XDG_STATE_HOME", "/s"}, exists: []string{"/s/xcsh"},
			want: with(full("xcsh", "/home/alice/.xcsh/agent"), func(p *places.Place) { p.Breadcrumbs = "/s/xcsh/terminal-sessions" }),
		},
		{
			title: "XDG of a profile", name: "omp", vars: []string{"OMP_PROFILE", "p", "XDG_STATE_HOME", "/s", "XDG_DATA_HOME", "/d"},
			exists: []string{"/s/omp/profiles/p", "/d/omp"},
			want: with(ompPlace("/home/alice/.omp/profiles/p/agent"), func(p *places.Place) {
				p.Breadcrumbs, p.Custom = "/s/omp/profiles/p/terminal-sessions", "/s/omp/profiles/p/custom-session-files"
			}),
		},
		{
			title: "XDG not with another agent dir", name: "xcsh", vars: []string{"PI_CODING_AGENT_DIR", "/x", "XDG_DATA_HOME", "/d"}, exists: []string{"/d/xcsh"},
			want: full("xcsh", "/x"),
		},
		{
			title: "XDG with the standard agent dir spelled out", name: "xcsh",
			vars: []string{"PI_CODING_AGENT_DIR", "/home/alice/.xcsh/agent/", "XDG_STATE_HOME", "/s"}, exists: []string{"/s/xcsh"},
			want: with(full("xcsh", "/home/alice/.xcsh/agent"), func(p *places.Place) { p.Breadcrumbs = "/s/xcsh/terminal-sessions" }),
		},
	}
	for _, test := range tests {
		t.Run(test.title, func(t *testing.T) {
			env := alice()
			env.Getenv = vars(test.vars...)
			env.Exists = func(p string) bool { return slices.Contains(test.exists, p) }
			if diff := cmp.Diff(test.want, places.For(test.name, env, test.over)); diff != "" {
				t.Errorf("For(%s) (-want +got):\n%s", test.name, diff)
			}
		})
	}
}

func TestProfile(t *testing.T) {
	set := func(pairs ...string) layout.Env {
		return layout.Env{LookupEnv: func(name string) (string, bool) {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1], true
				}
			}
			return "", false
		}}
	}
	tests := []struct {
		env  layout.Env
		want string
		bad  bool
	}{
		{env: set(), want: ""},
		{env: set("OMP_PROFILE", "a", "PI_PROFILE", "b"), want: "a"},
		{env: set("PI_PROFILE", "b"), want: "b"},
		{env: set("OMP_PROFILE", "", "PI_PROFILE", "b"), want: ""},
		{env: set("OMP_PROFILE", " a\n"), want: "a"},
		{env: set("OMP_PROFILE", strings.Repeat("a", 64)), want: strings.Repeat("a", 64)},
		{env: set("OMP_PROFILE", strings.Repeat("a", 65)), bad: true},
		{env: set("OMP_PROFILE", "A"), bad: true},
		{env: set("OMP_PROFILE", "."), bad: true},
		{env: set("OMP_PROFILE", "a."), bad: true},
		{env: set("OMP_PROFILE", "_a"), bad: true},
		{env: set("OMP_PROFILE", "a/b"), bad: true},
		{env: set("OMP_PROFILE", "con.x"), bad: true},
		{env: set("OMP_PROFILE", "com0"), bad: true},
		{env: set("OMP_PROFILE", "comb"), want: "comb"},
	}
	for _, test := range tests {
		got, err := places.Profile(test.env)
		if got != test.want || (err != nil) != test.bad {
			t.Errorf("Profile = %q, %v, want %q, error %v", got, err, test.want, test.bad)
		}
	}
	env := set("OMP_PROFILE", "", "PI_PROFILE", "b", "PI_CODING_AGENT_DIR", "/h/.omp/profiles/b/agent")
	env.Home = "/h"
	if got, want := places.For("omp", env, layout.Overrides{}).Agent, "/h/.omp/agent"; got != want {
		t.Errorf("agent directory inherited from a masked profile = %q, want %q", got, want)
	}
}

func TestPlaceDirs(t *testing.T) {
	env := alice()
	p := places.For("pi", env, layout.Overrides{})
	if got, want := p.Dir("/work/pi", env), "/home/alice/.pi/agent/sessions/--work-pi--"; got != want {
		t.Errorf("Dir = %q, want %q", got, want)
	}
	dirs := p.Dirs("/work/pi", env)
	if dirs[0] != p.Dir("/work/pi", env) || dirs[len(dirs)-1] != p.Agent {
		t.Errorf("Dirs = %q, want Dir first and the agent directory last", dirs)
	}
	flat := places.For("pi", env, layout.Overrides{SessionDir: "/s"})
	if got := flat.Dirs("/work/pi", env); !slices.Equal(got, []string{"/s"}) || flat.Dir("/x", env) != "/s" {
		t.Errorf("Dirs with a session dir = %q, want it alone", got)
	}
	env.Getenv = vars("XDG_DATA_HOME", "/d")
	env.Exists = func(string) bool { return true }
	moved := places.For("xcsh", env, layout.Overrides{})
	dirs = moved.Dirs("/work/pi", env)
	for _, want := range []string{"/d/xcsh/sessions/--work-pi--", "/home/alice/.xcsh/agent/sessions/--work-pi--"} {
		if !slices.Contains(dirs, want) {
			t.Errorf("Dirs = %q, lacks %q", dirs, want)
		}
	}
}

func TestOwner(t *testing.T) {
	env := alice()
	env.Real = func(p string) (string, bool) {
		return strings.Replace(p, "/link", "/home/alice/.pi", 1), strings.HasPrefix(p, "/link")
	}
	tests := []struct{ path, want string }{
		{"/home/alice/.pi/agent/sessions/--x--/s.jsonl", "pi"},
		{"/home/alice/.omp/agent/x.jsonl", "omp"},
		{"/home/alice/.xcsh/agent/sessions/-/s.jsonl", "xcsh"},
		{"/home/alice/.cambium/agent/sessions/s.jsonl", "cambium"},
		{"/link/agent/sessions/s.jsonl", "pi"},
		{"/home/alice/.pi/agentx/s.jsonl", ""},
		{"/work/s.jsonl", ""},
		{"s.jsonl", ""},
	}
	for _, test := range tests {
		if got := places.Owner(test.path, env); got != test.want {
			t.Errorf("Owner(%q) = %q, want %q", test.path, got, test.want)
		}
	}
	env.Getenv = vars("PI_CODING_AGENT_DIR", "/shared")
	if got := places.Owner("/shared/sessions/s.jsonl", env); got != "" {
		t.Errorf("Owner in a directory of three = %q, want none", got)
	}
	env.Getenv = vars("PI_CODING_AGENT_DIR", "/shared", "CAMBIUM_AGENT_DIR", "/shared/inner")
	if got := places.Owner("/shared/inner/sessions/s.jsonl", env); got != "cambium" {
		t.Errorf("Owner of an inner home = %q, want cambium", got)
	}
}

func TestOwn(t *testing.T) {
	tests := []struct {
		vars []string
		want places.Dirs
	}{
		{nil, places.Dirs{State: "/home/alice/.local/state/cambium", Cache: "/home/alice/.cache/cambium", Config: "/home/alice/.config/cambium"}},
		{
			[]string{"XDG_STATE_HOME", "/s", "XDG_CACHE_HOME", "relative", "XDG_CONFIG_HOME", "/c/"},
			places.Dirs{State: "/s/cambium", Cache: "/home/alice/.cache/cambium", Config: "/c/cambium"},
		},
		{
			[]string{"XDG_STATE_HOME", "/s", "CAMBIUM_STATE_DIR", "/own", "CAMBIUM_CACHE_DIR", "~/k", "CAMBIUM_CONFIG_DIR", "r"},
			places.Dirs{State: "/own", Cache: "/home/alice/k", Config: "/work/r"},
		},
	}
	for _, test := range tests {
		env := alice()
		env.Getenv = vars(test.vars...)
		if diff := cmp.Diff(test.want, places.Own(env)); diff != "" {
			t.Errorf("Own with %q (-want +got):\n%s", test.vars, diff)
		}
	}
}

func TestTerminalID(t *testing.T) {
	tests := []struct {
		name, tty string
		vars      []string
		want      string
	}{
		{"xcsh", "/dev/pts/3", []string{"TMUX_PANE", "%1"}, "pts-3"},
		{"omp", "/dev/tty2", nil, "tty2"},
		{"omp", "/proc/x", []string{"TMUX_PANE", "%1"}, "tmux-%1"},
		{"pi", "/dev/pts/3", nil, ""},
		{"omp", "", []string{"ZELLIJ_PANE_ID", "5", "ZELLIJ_SESSION_NAME", `a/b\c`, "TMUX_PANE", "%1"}, "zellij-a-b-c-5"},
		{"omp", "", []string{"ZELLIJ_PANE_ID", "5"}, "zellij-5"},
		{"omp", "", []string{"TMUX_PANE", "%1", "KITTY_WINDOW_ID", "3"}, "tmux-%1"},
		{"omp", "", []string{"CMUX_SURFACE_ID", "s", "KITTY_WINDOW_ID", "3"}, "cmux-s"},
		{"omp", "", []string{"KITTY_WINDOW_ID", "3", "WEZTERM_PANE", "2"}, "kitty-3"},
		{"omp", "", []string{"WEZTERM_PANE", "2", "TERM_SESSION_ID", "w"}, "wezterm-2"},
		{"omp", "", []string{"TERM_SESSION_ID", "w", "WT_SESSION", "g"}, "apple-w"},
		{"omp", "", []string{"WT_SESSION", "g"}, "wt-g"},
		{"omp", "", nil, ""},
		{"xcsh", "", []string{"KITTY_WINDOW_ID", "3", "TMUX_PANE", "%1"}, "kitty-3"},
		{"xcsh", "", []string{"TMUX_PANE", "%1", "TERM_SESSION_ID", "w0"}, "tmux-%1"},
		{"xcsh", "", []string{"TERM_SESSION_ID", "w0:1", "WT_SESSION", "g"}, "apple-w0:1"},
		{"xcsh", "", []string{"WT_SESSION", "g"}, "wt-g"},
		{"xcsh", "", []string{"ZELLIJ_PANE_ID", "5"}, ""},
		{"cambium", "", []string{"TERM_SESSION_ID", "../../x"}, "apple-..-..-x"},
		{"cambium", "/dev/..", nil, ""},
	}
	for _, test := range tests {
		env := layout.Env{Getenv: vars(test.vars...)}
		got, ok := places.TerminalID(test.name, test.tty, env)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("TerminalID(%s, %q, %q) = %q, %v, want %q", test.name, test.tty, test.vars, got, ok, test.want)
		}
	}
}
