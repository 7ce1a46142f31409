// Command wine runs the tests of packages, built for Windows, on Wine 8, and says of
// each package what ran, passed and failed, and which tests were left out and why: those
// that a table of doc/platforms.md names.
//
// Usage: go run ./.ci/wine -dir DIR [-setup] [PACKAGE...]
//
// DIR keeps the prefix of Wine and what is built. With -setup only that is made ready,
// and DIR/overlay.json is what `go build -overlay` needs.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// module is the path of the module.
const module = "github.com/cambium-dev/cambium"

func main() {
	dir := flag.String("dir", "", "where the prefix of Wine is")
	only := flag.Bool("setup", false, "make it ready, and run nothing")
	flag.Parse()
	b := bench{dir: *dir}
	err := b.setup()
	if err == nil && !*only {
		err = b.all(flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "wine:", err)
		os.Exit(1)
	}
}

// A bench is where tests run.
type bench struct{ dir string }

// command runs a program of Wine with little in its environment.
func (b bench) command(args ...string) *exec.Cmd {
	cmd := exec.Command("wine", args...)
	for _, v := range os.Environ() {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "PATH", "LANG", "USER", "LOGNAME", "HOME":
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "WINEPREFIX="+filepath.Join(b.dir, "prefix"), "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=;bcryptprimitives=n")
	return cmd
}

// setup makes a prefix, and what helps Go there.
func (b bench) setup() error {
	system := filepath.Join(b.dir, "prefix", "drive_c", "windows", "system32")
	if _, err := os.Stat(system); err != nil {
		if out, err := b.command("wineboot", "-i").CombinedOutput(); err != nil {
			return fmt.Errorf("make a prefix: %w: %s", err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(system, "bcryptprimitives.dll"), forwarder(), 0o644); err != nil {
		return err
	}
	return b.overlay()
}

// overlay has Go delete files on Wine 8 as it does on file systems that know no other
// way: Wine says that it has not implemented the new one, and Go expects other words.
func (b bench) overlay() error {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "internal", "syscall", "windows", "at_windows.go")
	code, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	known := []byte("case STATUS_INVALID_INFO_CLASS,")
	if !bytes.Contains(code, known) {
		return fmt.Errorf("%s has no %q to add to", source, known)
	}
	changed := filepath.Join(b.dir, "at_windows.go")
	code = bytes.ReplaceAll(code, known, append(known, " NTStatus(0xC0000002),"...))
	if err := os.WriteFile(changed, code, 0o644); err != nil {
		return err
	}
	text := fmt.Sprintf("{\"Replace\": {%q: %q}}\n", source, changed)
	return os.WriteFile(filepath.Join(b.dir, "overlay.json"), []byte(text), 0o644)
}

// all runs the tests of packages, one after the other.
func (b bench) all(packages []string) error {
	left, err := leftOut("doc/platforms.md")
	if err != nil {
		return err
	}
	args := append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}"}, packages...)
	list := exec.Command("go", args...)
	list.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64")
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("list packages: %w", err)
	}
	var sum tally
	bad, ran := 0, map[string]bool{}
	for line := range strings.Lines(string(out)) {
		pkg, dir, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		name := strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/")
		ran[name] = true
		t, err := b.one(pkg, dir, left[name])
		sum.add(t)
		if err != nil {
			bad++
			fmt.Printf("FAIL %-28s %v\n", name, err)
			continue
		}
		fmt.Printf("ok   %-28s %3d passed, %d skipped by themselves, %d left out, %.1f s\n", name, t.passed, t.skipped, len(left[name]), t.took.Seconds())
	}
	fmt.Printf("\n%d tests passed, %d failed, %d skipped themselves\n", sum.passed, len(sum.failed), sum.skipped)
	fmt.Println("left out, as doc/platforms.md says:")
	for _, l := range left.rows(ran) {
		fmt.Println("  " + l)
	}
	if bad > 0 {
		return fmt.Errorf("%d packages failed", bad)
	}
	return nil
}

// one builds and runs the tests of a package.
func (b bench) one(pkg, dir string, left map[string]string) (tally, error) {
	exe := filepath.Join(b.dir, strings.NewReplacer("/", "_").Replace(pkg)+".test.exe")
	defer func() { _ = os.Remove(exe) }() // it is large
	build := exec.Command("go", "test", "-c", "-overlay="+filepath.Join(b.dir, "overlay.json"), "-o", exe, pkg)
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return tally{}, fmt.Errorf("build: %w\n%s", err, out)
	}
	args := []string{exe, "-test.v", "-test.timeout=15m"}
	if len(left) > 0 {
		if err := b.there(exe, left); err != nil {
			return tally{}, err
		}
		args = append(args, "-test.skip="+pattern(left))
	}
	cmd := b.command(args...)
	cmd.Dir = dir
	began := time.Now()
	out, err := cmd.CombinedOutput()
	t := count(out)
	t.took = time.Since(began)
	if len(t.failed) > 0 || err != nil {
		log := filepath.Join(b.dir, filepath.Base(exe)+".log")
		_ = os.WriteFile(log, out, 0o644) // to look into
		return t, fmt.Errorf("%d passed, failed: %s (%v); see %s", t.passed, strings.Join(t.failed, " "), err, log)
	}
	return t, nil
}

// there fails for a test that is to be left out and is not there.
func (b bench) there(exe string, left map[string]string) error {
	out, err := b.command(exe, "-test.list=.").Output()
	if err != nil {
		return fmt.Errorf("list tests: %w", err)
	}
	names := map[string]bool{}
	for name := range strings.Lines(string(out)) {
		names[strings.TrimSpace(name)] = true
	}
	for name := range left {
		top, _, _ := strings.Cut(name, "/")
		if !names[top] {
			return fmt.Errorf("doc/platforms.md leaves out %s, which is no test", name)
		}
	}
	return nil
}

// A tally is what tests came to.
type tally struct {
	passed, skipped int
	failed          []string
	took            time.Duration
}

func (t *tally) add(o tally) {
	t.passed, t.skipped, t.failed = t.passed+o.passed, t.skipped+o.skipped, append(t.failed, o.failed...)
}

// result is a line of `go test -v` about a test, not about a part of one.
var result = regexp.MustCompile(`(?m)^--- (PASS|FAIL|SKIP): (\S+)`)

func count(out []byte) (t tally) {
	for _, m := range result.FindAllSubmatch(out, -1) {
		switch string(m[1]) {
		case "PASS":
			t.passed++
		case "SKIP":
			t.skipped++
		default:
			t.failed = append(t.failed, string(m[2]))
		}
	}
	return t
}
