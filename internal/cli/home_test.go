package cli_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/cambium-dev/cambium/internal/cli"
)

// TestWithHome: the home directory is that of the environment, else that of the
// user; where there is none nothing is made up.
func TestWithHome(t *testing.T) {
	bad := errors.New("no such user")
	for _, c := range []struct {
		name       string
		env        []string
		home       string
		err        error
		want       []string
		wantsError bool
	}{
		{name: "said", env: []string{"HOME=/a"}, home: "/u", want: []string{"HOME=/a"}},
		{name: "said on Windows", env: []string{"USERPROFILE=/a"}, home: "/u", want: []string{"USERPROFILE=/a"}},
		{name: "left out", env: []string{"TERM=dumb"}, home: "/u", want: []string{"TERM=dumb", "HOME=/u"}},
		{name: "empty", env: []string{"HOME="}, home: "/u", want: []string{"HOME=", "HOME=/u"}},
		{name: "no user", err: bad, wantsError: true},
		{name: "no home", home: "", wantsError: true},
	} {
		got, err := cli.WithHome(c.env, func() (string, error) { return c.home, c.err })
		if (err != nil) != c.wantsError || err == nil && !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}
