package process

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestQuoteAll: what Windows takes apart again is what was put in.
func TestQuoteAll(t *testing.T) {
	for want, args := range map[string][]string{
		`"bash.exe" "-c" "*"`:         {"bash.exe", "-c", "*"},
		`"a b" "" "c"`:                {"a b", "", "c"},
		`"say \"hi\""`:                {`say "hi"`},
		`"C:\dir\\"`:                  {`C:\dir\`},
		`"a\\\"b" "\\\\" "a\b\\\\\""`: {`a\"b`, `\\`, `a\b\\"`},
	} {
		if got := quoteAll(args); got != want {
			t.Errorf("quoteAll(%q) = %s, want %s", args, got, want)
		}
	}
}

// TestWindowsShells: the bash of Git comes before PowerShell; that of another system,
// which is in the system's directory, is none.
func TestWindowsShells(t *testing.T) {
	var got []string
	for _, s := range windowsShells([]string{`C:\Windows\system32`, `D:\git\bin`, `C:\Users\a\AppData\Local\Microsoft\WindowsApps`}, []string{`C:\Program Files`}, `C:\Windows`) {
		path := s.Path
		if s.Power {
			path = "power " + path
		}
		got = append(got, path)
	}
	want := strings.Split(`D:\git\bin\bash.exe
C:\Program Files\Git\bin\bash.exe
power C:\Windows\system32\pwsh.exe
power D:\git\bin\pwsh.exe
power C:\Users\a\AppData\Local\Microsoft\WindowsApps\pwsh.exe
power C:\Windows\system32\powershell.exe
power D:\git\bin\powershell.exe
power C:\Users\a\AppData\Local\Microsoft\WindowsApps\powershell.exe
power C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe`, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestPowerShellGetsTheLineWhole: nothing in it is quoted, since PowerShell decodes it.
func TestPowerShellGetsTheLineWhole(t *testing.T) {
	args := powerArgs(`echo "ü" # done`)
	if len(args) != 5 || args[3] != "-EncodedCommand" || strings.Trim(args[4], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") != "" {
		t.Errorf("%q", args)
	}
}
