package process

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf16"
)

// ErrNoShell says that there is no shell to run a command line with.
var ErrNoShell = errors.New(noShell)

// A Shell runs command lines.
type Shell struct {
	// Path is its program.
	Path string
	// Power says that it is PowerShell, which has another language than all others here.
	Power bool
}

// Bash reports whether the shell is a bash, going by its name.
func (s Shell) Bash() bool {
	name := filepath.Base(s.Path)
	return name == "bash" || strings.EqualFold(name, "bash.exe")
}

// Run returns the command that runs a command line.
func (s Shell) Run(line string) *exec.Cmd { return s.spelled(exec.Command(s.Path, s.args(line)...)) }

// RunIn is Run for as long as ctx goes on, as with [exec.CommandContext].
func (s Shell) RunIn(ctx context.Context, line string) *exec.Cmd {
	return s.spelled(exec.CommandContext(ctx, s.Path, s.args(line)...))
}

func (s Shell) args(line string) []string {
	if s.Power {
		return powerArgs(line)
	}
	return []string{"-c", line}
}

func (s Shell) spelled(cmd *exec.Cmd) *exec.Cmd {
	cmd.Args[0] = filepath.Base(s.Path)
	spell(cmd)
	return cmd
}

// powerArgs are the arguments with which PowerShell runs a line and ends as what that ran
// last. The line is encoded, since PowerShell has quotes of its own. Its output is UTF-8.
func powerArgs(line string) []string {
	line = "[Console]::OutputEncoding = [Text.Encoding]::UTF8\n" + line +
		"\n$cambiumOk = $?; if ($LASTEXITCODE) { exit $LASTEXITCODE }; if (-not $cambiumOk) { exit 1 }"
	var raw []byte
	for _, unit := range utf16.Encode([]rune(line)) {
		raw = binary.LittleEndian.AppendUint16(raw, unit)
	}
	return []string{"-NoLogo", "-NoProfile", "-NonInteractive", "-EncodedCommand", base64.StdEncoding.EncodeToString(raw)}
}

// quoteAll joins arguments to a command line of Windows, each in quotes. Those of bash
// there expand patterns in what has none.
func quoteAll(args []string) string {
	var b strings.Builder
	for i, arg := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteByte('"')
		slashes := 0
		for j := range len(arg) {
			switch arg[j] {
			case '\\':
				slashes++
			case '"':
				b.WriteString(strings.Repeat(`\`, slashes+1))
				slashes = 0
			default:
				slashes = 0
			}
			b.WriteByte(arg[j])
		}
		b.WriteString(strings.Repeat(`\`, slashes))
		b.WriteByte('"')
	}
	return b.String()
}

// windowsShells are the shells of Windows, best first, that may lie in directories of a
// search path, and in those of programs. The bash in the system's directory is another
// system's: what it calls a file is another one.
func windowsShells(path, programs []string, system string) (all []Shell) {
	for _, dir := range path {
		lower := strings.ToLower(strings.TrimRight(dir, `\`))
		if strings.HasPrefix(lower, strings.ToLower(system)) && system != "" || strings.HasSuffix(lower, `\microsoft\windowsapps`) {
			continue
		}
		all = append(all, Shell{Path: dir + `\bash.exe`})
	}
	for _, dir := range programs {
		all = append(all, Shell{Path: dir + `\Git\bin\bash.exe`})
	}
	for _, name := range []string{"pwsh.exe", "powershell.exe"} {
		for _, dir := range path {
			all = append(all, Shell{Path: strings.TrimRight(dir, `\`) + `\` + name, Power: true})
		}
	}
	if system != "" {
		all = append(all, Shell{Path: system + `\System32\WindowsPowerShell\v1.0\powershell.exe`, Power: true})
	}
	return all
}
