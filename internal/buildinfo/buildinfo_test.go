package buildinfo

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRead: what Go recorded is told.
func TestRead(t *testing.T) {
	settings := []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"},
	}
	for name, test := range map[string]struct {
		build *debug.BuildInfo
		want  Info
		says  string
	}{
		"nothing recorded": {build: nil, want: Info{Version: "devel", Go: runtime.Version()}, says: "devel"},
		"a checkout": {
			build: &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "(devel)"}, Settings: settings},
			want:  Info{Version: "devel", Commit: "0123456789abcdef", Date: "2026-01-02T03:04:05Z", Modified: true, Go: "go1.26.0"},
			says:  "devel (0123456)",
		},
		"go install": {
			build: &debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v0.1.0"}},
			want:  Info{Version: "v0.1.0", Go: "go1.26.0"},
			says:  "v0.1.0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.want.System, test.want.Machine = runtime.GOOS, runtime.GOARCH
			got := read(test.build)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if got.String() != test.says {
				t.Errorf("says %q, want %q", got.String(), test.says)
			}
		})
	}
}
