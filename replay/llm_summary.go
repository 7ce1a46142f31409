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

// The sentences before a summary.
const (
	branchLead     = "Another branch of this conversation was explored and left. This is what happened on it:"
	compactionLead = "The conversation so far was replaced by this summary of it. Go on from where it ends and do not repeat finished work:"
	handoffLead    = "The conversation so far was replaced by the notes below, which you wrote yourself to go on from. " +
		"\"I\" in them is you; they are not a request by the user, and they need not be written again."
)

// summary sends what a branch or a compaction left.
func (c *converter) summary(msg entry.JSON, role string) bool {
	summary, _ := jsonedit.Text(msg, "summary")
	var content entry.JSON
	if role == message.RoleBranchSummary {
		content = new(jsonedit.Array).Add(textBlock(c.branchText(summary))).Value()
	} else {
		content = c.compactionContent(msg, summary)
	}
	o := outgoing{message.RoleUser, content, c.who("agent"), msg}.object()
	at := member(msg, "timestamp")
	if c.rules.RewriteMark {
		o.Add("historyRewriteAt", at)
	}
	if payload := member(msg, "providerPayload"); c.rules.Payload && role == message.RoleCompactionSummary {
		o.Add("providerPayload", payload)
	}
	return c.emit(o.Add("timestamp", at).Value())
}

// compactionContent returns what stands for the compacted conversation.
func (c *converter) compactionContent(msg entry.JSON, summary string) entry.JSON {
	content := new(jsonedit.Array)
	blocks := member(msg, "blocks")
	if c.rules.Blocks && jsonedit.Kind(blocks) == jsontext.KindBeginArray {
		return content.Add(textBlock(summary)).Add(slices.Collect(jsonedit.Elements(blocks))...).Value()
	}
	method, _ := jsonedit.Text(msg, "method")
	content.Add(textBlock(c.compactionText(summary, method)))
	if c.rules.Blocks {
		content.Add(slices.Collect(jsonedit.Elements(member(msg, "images")))...)
	}
	return content.Value()
}

// branchText wraps the summary of a branch.
func (c *converter) branchText(summary string) string {
	if c.rules.Summary == spelling.SummaryRaw {
		return branchLead + "\n\n<summary>\n" + summary + "</summary>"
	}
	return c.layOut(branchLead, "summary", summary)
}

// compactionText wraps the summary of a compaction.
func (c *converter) compactionText(summary, method string) string {
	if c.rules.Handoff != "" && method == c.rules.Handoff {
		return c.layOut(handoffLead, "handoff", summary)
	}
	return c.layOut(compactionLead, "summary", summary)
}

// layOut wraps text in a tag after a sentence and lays the whole out.
func (c *converter) layOut(lead, tag, text string) string {
	whole := lead + "\n\n<" + tag + ">\n" + text + "\n</" + tag + ">"
	switch c.rules.Summary {
	case spelling.SummaryTight:
		return layOut(whole, tightGap)
	case spelling.SummarySparse:
		return layOut(whole, sparseGap)
	}
	return whole
}

// layOut trims the ends of lines, packs table rows and asks gap what becomes of
// each run of blank lines. Blank lines at the start and the end go. Inside code
// fences only the ends of lines are trimmed.
func layOut(text string, gap func(run int, before, after string) int) string {
	var out []string
	fenced, run := false, 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRightFunc(line, jsSpace)
		start := strings.TrimLeftFunc(line, jsSpace)
		if line == "" && !fenced {
			run++
			continue
		}
		if run > 0 && len(out) > 0 {
			for range gap(run, out[len(out)-1], line) {
				out = append(out, "")
			}
		}
		run = 0
		if strings.HasPrefix(start, "```") || strings.HasPrefix(start, "~~~") {
			fenced = !fenced
		} else if !fenced {
			line = line[:len(line)-len(start)] + packRow(start)
		}
		out = append(out, line)
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return strings.Join(out, "\n")
}

// tightGap keeps one blank line of a run, and none after an opening tag, before
// a closing one and before a list item (xcsh 17.4.4).
func tightGap(_ int, before, after string) int {
	before, after = strings.TrimFunc(before, jsSpace), strings.TrimFunc(after, jsSpace)
	if opensTag(before) || closesTag(after) || listItem(after) {
		return 0
	}
	return 1
}

// sparseGap keeps single blank lines, but none before a closing tag (omp
// 18.2.3).
func sparseGap(run int, _, after string) int {
	if run > 1 || closesTag(strings.TrimFunc(after, jsSpace)) {
		return 0
	}
	return 1
}

// packRow takes the blanks out of a row of a table, and makes the row of dashes
// three dashes a column. Anything else is returned as it is, also a row with
// text that has what JavaScript takes for the end of a line in it (omp 18.2.3).
func packRow(row string) string {
	if len(row) < 2 || row[0] != '|' || row[len(row)-1] != '|' {
		return row
	}
	cells := strings.Split(row, "|")
	for i, cell := range cells {
		cells[i] = strings.TrimFunc(cell, jsSpace)
	}
	if len(row) < 3 || strings.TrimFunc(row, func(r rune) bool { return r == '|' || r == '-' || r == ':' || jsSpace(r) }) != "" {
		if strings.ContainsAny(row, "\r\u2028\u2029") {
			return row
		}
		return strings.Join(cells, "|")
	}
	cells = slices.DeleteFunc(cells, func(cell string) bool { return cell == "" })
	for i, cell := range cells {
		left, right := strings.HasPrefix(cell, ":"), strings.HasSuffix(cell, ":")
		cells[i] = "---"
		if left {
			cells[i] = ":" + cells[i]
		}
		if right {
			cells[i] += ":"
		}
	}
	return "|" + strings.Join(cells, "|") + "|"
}

// opensTag reports whether the line is one opening tag.
func opensTag(line string) bool {
	inner, ok := strings.CutPrefix(line, "<")
	if !ok {
		return false
	}
	inner, ok = strings.CutSuffix(inner, ">")
	name := tagName(inner)
	return ok && name != "" && !strings.Contains(inner, ">") &&
		(name == inner || jsSpace(rune(inner[len(name)])))
}

// closesTag reports whether the line is one closing tag.
func closesTag(line string) bool {
	inner, ok := strings.CutPrefix(line, "</")
	if !ok {
		return false
	}
	inner, ok = strings.CutSuffix(inner, ">")
	return ok && inner != "" && tagName(inner) == inner
}

// tagName returns the tag name at the start of s.
func tagName(s string) string {
	i := 0
	for i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] == '-' || s[i] == '_') {
		i++
	}
	return s[:i]
}

// listItem reports whether the line starts a list item.
func listItem(line string) bool {
	digits := strings.TrimLeft(line, "0123456789")
	if len(digits) < len(line) {
		return strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") ")
	}
	return len(line) > 1 && strings.IndexByte("-*+", line[0]) >= 0 && line[1] == ' '
}

// jsSpace reports what JavaScript's trim takes away.
func jsSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF:
		return true
	}
	return r >= 0x2000 && r <= 0x200A
}
