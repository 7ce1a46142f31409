package claude

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cambium-dev/cambium/internal/foreign"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/jsonl"
	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/layout"
)

// usualDays is after how many days a session is deleted where the settings do not say.
const usualDays = 30

// A look is what decides whether the program shows a session.
type look struct {
	prompts, records, broken int
	side                     bool // its first record is a subagent's
	entry, id, cwd           string
}

// lookQuery finds what a look is at.
var lookQuery = jsonl.Query{Keys: []string{"type", "uuid", "isSidechain", "entrypoint", "sessionId", "cwd", "isMeta", "message"}, Inside: 7, Inner: []string{"content"}}

// Why looks at the file once. Its rules are those of the picker of 2.1.330.
func (program) Why(ctx context.Context, fsys vfs.FS, name string, env layout.Env, now time.Time) ([]foreign.Reason, error) {
	f, err := fsys.Open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	l, err := lookAt(ctx, f, info.Size)
	if err != nil {
		return nil, err
	}
	var all []foreign.Reason
	add := func(hides bool, what, mend string) {
		all = append(all, foreign.Reason{Hides: hides, What: what, Mend: mend})
	}
	base := strings.TrimSuffix(filepath.Base(name), ext)
	switch {
	case strings.HasPrefix(base, agentPrefix) || l.side:
		add(true, "it is a subagent's: Claude Code shows it in the session that started it", "")
	case l.records == 0:
		add(true, "nothing in it is a record of a conversation", "")
	case l.prompts == 0:
		add(true, "nobody said anything in it", "")
	}
	if l.entry != "" && l.entry != "cli" && !l.side {
		add(true, fmt.Sprintf("it was begun by a program (%s), and the picker shows those of the terminal", l.entry), "claude --resume "+base+" goes on with it")
	}
	if l.id != "" && l.id != base && !strings.HasPrefix(base, agentPrefix) {
		add(true, fmt.Sprintf("its records say that they belong to %s, its file is called otherwise", l.id), "a copy named after that id")
	}
	if l.cwd != "" {
		all = append(all, misplaced(fsys, name, l.cwd, env)...)
	}
	if l.broken > 0 {
		add(false, fmt.Sprintf("%d of its lines are no records", l.broken), "")
	}
	if r, ok := deletion(fsys, env, time.Unix(0, info.ModTime), now); ok {
		all = append(all, r)
	}
	return all, nil
}

func lookAt(ctx context.Context, f vfs.File, size int64) (look, error) {
	var l look
	var found [9]jsonl.Span
	err := jsonl.Lines(f, 0, size, jsonl.Options{}, func(line jsonl.Line) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(jsonl.Trim(line.Bytes, 0).In(line.Bytes)) == 0 {
			return nil
		}
		if lookQuery.Scan(line.Bytes, found[:]) != nil {
			l.broken++
			return nil
		}
		text := func(n int) string { s, _ := jsonedit.String(found[n].In(line.Bytes)); return s }
		is := func(n int) bool { is, _ := jsonedit.Bool(found[n].In(line.Bytes)); return is }
		if text(1) == "" {
			return nil
		}
		if l.records++; l.records == 1 {
			l.side = is(2)
		}
		for n, to := range map[int]*string{3: &l.entry, 4: &l.id, 5: &l.cwd} {
			if *to == "" {
				*to = text(n)
			}
		}
		if text(0) == "user" && !is(6) && !is(2) && said(found[8].In(line.Bytes)) {
			l.prompts++
		}
		return nil
	})
	return l, err
}

// misplaced says what is wrong with where a session lies.
func misplaced(fsys vfs.FS, name, cwd string, env layout.Env) (all []foreign.Reason) {
	real := cwd
	if env.Real != nil {
		if to, ok := env.Real(cwd); ok {
			real = to
		}
	}
	if _, err := fsys.Stat(cwd); errors.Is(err, fs.ErrNotExist) {
		all = append(all, foreign.Reason{Hides: true, What: fmt.Sprintf("its directory %s is gone, and Claude Code shows the sessions of the one that it is started in", cwd), Mend: "`cambium convert --to claude --cwd DIRECTORY` makes one of another"})
	}
	dir := filepath.Base(filepath.Dir(name))
	if dir == agents {
		return all
	}
	if want := folderName(real); dir != want && dir != folderName(cwd) {
		all = append(all, foreign.Reason{Hides: true, What: fmt.Sprintf("it lies in %s, and those of %s lie in %s", dir, cwd, want), Mend: "a copy there"})
	}
	return all
}

// deletion warns of a session that the program deletes within a week.
func deletion(fsys vfs.FS, env layout.Env, changed, now time.Time) (foreign.Reason, bool) {
	days := int64(usualDays)
	if text, err := vfs.ReadFile(fsys, filepath.Join(filepath.Dir(projects(env)), "settings.json"), maxTitle); err == nil {
		if v, ok := jsonedit.Get(text, "cleanupPeriodDays"); ok {
			if n, ok := jsonedit.Int(v); ok && n >= 0 && n < 1<<20 {
				days = n
			}
		}
	}
	left := changed.AddDate(0, 0, int(days)).Sub(now)
	if left > 7*24*time.Hour {
		return foreign.Reason{}, false
	}
	what := fmt.Sprintf("Claude Code deletes it %d days after its last change, which is in %d days", days, int(left.Hours()/24))
	if left <= 0 {
		what = fmt.Sprintf("Claude Code deletes it at its next start: it did not change for %d days", days)
	}
	return foreign.Reason{What: what, Mend: "cleanupPeriodDays in its settings, or `cambium convert` keeps a copy"}, true
}
