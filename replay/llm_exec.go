package replay

import (
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
	"github.com/cambium-dev/cambium/internal/spelling"
	"github.com/cambium-dev/cambium/message"
	"github.com/go-json-experiment/json/jsontext"
)

// execution sends a command or code that the person ran.
func (c *converter) execution(msg entry.JSON, role string) bool {
	if truthy(member(msg, "excludeFromContext")) {
		return true
	}
	content := new(jsonedit.Array)
	if role == message.RolePythonExecution {
		content.Add(textBlock(c.pythonText(msg)))
	} else {
		content.Add(textBlock(c.bashText(msg)))
		if c.rules.BashImages {
			content.Add(slices.Collect(jsonedit.Elements(member(msg, "images")))...)
		}
	}
	return c.emit(outgoing{message.RoleUser, content.Value(), c.who("user"), msg}.value())
}

// bashText lays out a command.
func (c *converter) bashText(msg entry.JSON) string {
	command, _ := jsonedit.Text(msg, "command")
	text := "Ran `" + command + "`\n" + outputText(msg, "")
	text += ending(msg, "(command cancelled)", "Command exited with code ")
	return text + c.notice(msg)
}

// pythonText lays out code.
func (c *converter) pythonText(msg entry.JSON) string {
	code, _ := jsonedit.Text(msg, "code")
	text := "Ran Python:\n```python\n" + code + "\n```\n" + outputText(msg, "Output:\n")
	text += ending(msg, "(execution cancelled)", "Execution failed with code ")
	if c.rules.Notice != spelling.NoticeMeta {
		return text
	}
	return text + metaNotice(member(msg, "meta"))
}

// outputText lays out the output, after a heading.
func outputText(msg entry.JSON, heading string) string {
	output, _ := jsonedit.Text(msg, "output")
	if output == "" {
		return "(no output)"
	}
	return heading + "```\n" + output + "\n```"
}

// ending says how it ended, when that is worth saying.
func ending(msg entry.JSON, cancelled, failed string) string {
	if truthy(member(msg, "cancelled")) {
		return "\n\n" + cancelled
	}
	if code, ok := jsonedit.Number(member(msg, "exitCode")); ok && code != 0 {
		return "\n\n" + failed + jsonedit.JSNumber(code)
	}
	return ""
}

// notice says that the output is not whole.
func (c *converter) notice(msg entry.JSON) string {
	if c.rules.Notice == spelling.NoticeMeta {
		return metaNotice(member(msg, "meta"))
	}
	path, _ := jsonedit.Text(msg, "fullOutputPath")
	if path == "" || !truthy(member(msg, "truncated")) {
		return ""
	}
	return "\n\n[Output truncated. Full output: " + path + "]"
}

// metaNotice says in words what meta (omp and xcsh, tools' output records) says
// was left out: how much is shown, which limits were met, where the rest is, and
// what a language server found.
func metaNotice(meta entry.JSON) string {
	var parts []string
	if t := member(meta, "truncation"); jsonedit.Kind(t) == jsontext.KindBeginObject {
		parts = append(parts, truncationNotice(t)...)
	}
	if s, ok := jsonedit.Text(meta, "artifactError"); ok && s != "" {
		parts = append(parts, "the full output could not be kept ("+s+")")
	}
	limits := member(meta, "limits")
	for _, l := range []struct{ key, what string }{
		{"matchLimit", "matches"}, {"resultLimit", "results"}, {"headLimit", "results"},
	} {
		limit := member(limits, l.key)
		if n := count(limit, "reached"); n != "" {
			part := "stopped after " + n + " " + l.what
			if more := count(limit, "suggestion"); more != "" {
				part += " (limit=" + more + " gives more)"
			}
			parts = append(parts, part)
		}
	}
	if columns := member(limits, "columnTruncated"); count(columns, "maxColumn") != "" {
		unit, ok := jsonedit.Text(columns, "unit")
		if !ok {
			unit = "chars"
		}
		parts = append(parts, "long lines cut at "+count(columns, "maxColumn")+" "+unit)
		parts = append(parts, artifact(columns)...)
	}
	text := ""
	if len(parts) > 0 {
		text = "\n\n[Output not whole: " + strings.Join(parts, "; ") + "]"
	}
	return text + diagnosticsNotice(member(meta, "diagnostics"))
}

// truncationNotice says which part of the output is shown.
func truncationNotice(t entry.JSON) []string {
	lines := func(key string) string {
		r := member(t, key)
		from, to := count(r, "start"), count(r, "end")
		if from == "" || to == "" {
			return ""
		}
		return from + "-" + to
	}
	total := count(t, "totalLines")
	var shown string
	switch head, tail, only := lines("headRange"), lines("tailRange"), lines("shownRange"); {
	case head != "" && tail != "":
		shown = "lines " + head + " and " + tail
	case only != "":
		shown = "lines " + only
	case count(t, "outputLines") != "":
		shown = count(t, "outputLines") + " lines"
	default:
		shown = "a part"
	}
	part := shown + " shown"
	if total != "" {
		part = shown + " of " + total + " shown"
	}
	parts := []string{part}
	if next := count(t, "nextOffset"); next != "" {
		parts = append(parts, "goes on at :"+next)
	}
	return append(parts, artifact(t)...)
}

// artifact says where the whole output is kept.
func artifact(obj entry.JSON) []string {
	id, ok := jsonedit.Text(obj, "artifactId")
	if !ok || id == "" {
		return nil
	}
	return []string{"all of it in artifact://" + id}
}

// diagnosticsNotice lists what a language server found.
func diagnosticsNotice(d entry.JSON) string {
	var found []string
	for m := range jsonedit.Elements(member(d, "messages")) {
		if s, ok := jsonedit.String(m); ok {
			found = append(found, s)
		}
	}
	if len(found) == 0 {
		return ""
	}
	summary, _ := jsonedit.Text(d, "summary")
	return "\n\nDiagnostics (" + summary + "):\n" + strings.Join(found, "\n")
}

// count returns the member's number as JavaScript prints it, "" when it is not a
// number.
func count(obj entry.JSON, key string) string {
	n, ok := jsonedit.Number(member(obj, key))
	if !ok {
		return ""
	}
	return jsonedit.JSNumber(n)
}
