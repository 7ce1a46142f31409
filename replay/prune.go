package replay

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// prune looks at every answer once and decides which messages are dropped and
// which are mended, in the order of omp 18.2.3: records of a retry and errors
// without content, calls without a result, failed turns with their results.
func (c *Context) prune() error {
	if c.rules.Prune == nil || c.pruned {
		return nil
	}
	failed, err := c.sift()
	if err != nil {
		return err
	}
	if err := c.dropFailed(failed); err != nil {
		return err
	}
	c.pruned = true
	return nil
}

// An answer that failed, by its number in the plan, with its calls.
type failure struct {
	n     int
	calls []string
}

// sift drops records of retries, empty errors and answers left empty, marks
// answers to mend, and returns the failed ones in order.
func (c *Context) sift() ([]failure, error) {
	c.answered = c.results()
	var failed []failure
	for n := range c.plan {
		s := &c.plan[n]
		i := int(s.at)
		if s.what != aMessage || c.list.Kind(i) != entry.Message || c.list.Role(i) != entry.RoleAssistant {
			continue
		}
		body, err := c.body(i)
		if err != nil {
			return nil, err
		}
		ed, edited := c.editOf(i)
		if edited && ed.remove {
			s.drop = true
			continue
		}
		marks := marksOf(body)
		if !edited && marks == 0 {
			continue
		}
		bad := marks&failMark != 0 && isFailed(body)
		if marks&retryMark != 0 && truthy(member(body, "retryRecovery")) ||
			bad && stopReason(body) == "error" && isEmptyTurn(body) {
			s.drop = true
			continue
		}
		if edited {
			body = ed.apply(body, entry.RoleAssistant)
		}
		if !bad && !edited && marks&callMark == 0 {
			continue
		}
		calls, dangling := callsOf(body, c.answered)
		if dangling {
			s.mended = true
			if isEmptyContent(mend(body, c.answered)) {
				s.drop = true
				continue
			}
		}
		if bad {
			failed = append(failed, failure{n, calls})
		}
	}
	return failed, nil
}

// results returns the ids of the calls that have a result among the selected
// entries.
func (c *Context) results() map[string]bool {
	ids := map[string]bool{}
	for _, s := range c.steps() {
		i := int(s.at)
		if c.list.Role(i) != entry.RoleToolResult || s.what != aMessage {
			continue
		}
		if ed, edited := c.editOf(i); edited && ed.remove {
			continue
		}
		if ref := c.list.Ref(i); ref != "" {
			ids[ref] = true
		}
	}
	return ids
}

// Marks that an answer may have something to prune.
const (
	callMark = 1 << iota
	failMark
	retryMark

	anyMark = callMark | failMark | retryMark
)

// maxSpelling is the longest that a name to look for can be written with
// escapes.
const maxSpelling = 6 * len("retryRecovery")

// marksOf looks through the bytes of an answer once for strings that could say
// that there is something to prune, or could spell it with escapes. What it does
// not mark need not be decoded; a mark alone proves nothing.
func marksOf(body entry.JSON) (marks int) {
	at := bytes.IndexByte(body, '"')
	for at >= 0 {
		body = body[at+1:]
		at = bytes.IndexByte(body, '"')
		if at < 0 || at > maxSpelling {
			continue
		}
		switch string(body[:at]) {
		case "toolCall":
			marks |= callMark
		case "aborted", "error":
			marks |= failMark
		case "retryRecovery":
			marks |= retryMark
		default:
			if bytes.IndexByte(body[:at], '\\') >= 0 && bytes.Contains(body[:at], []byte(`\u00`)) {
				return anyMark
			}
		}
	}
	return marks
}

func stopReason(body entry.JSON) string {
	reason, _ := jsonedit.Text(body, "stopReason")
	return reason
}

func isFailed(body entry.JSON) bool {
	reason := stopReason(body)
	return reason == "aborted" || reason == "error"
}

// isEmptyTurn reports whether an answer has no content worth keeping: blank
// text and thinking, no call, no block of another type.
func isEmptyTurn(body entry.JSON) bool {
	content, _ := jsonedit.Get(body, "content")
	if jsonedit.Kind(content) == '"' {
		return isBlank(content)
	}
	for block := range jsonedit.Elements(content) {
		blank := func(key string) bool {
			v, _ := jsonedit.Get(block, key)
			return isBlank(v)
		}
		switch kind, _ := jsonedit.Text(block, "type"); kind {
		case "text":
			if !blank("text") {
				return false
			}
		case "thinking":
			if !blank("thinking") || !blank("thinkingSignature") {
				return false
			}
		case "redactedThinking":
			if !blank("data") {
				return false
			}
		case "fallback":
		default:
			return false
		}
	}
	return true
}

func isBlank(v entry.JSON) bool {
	text, _ := jsonedit.String(v)
	return strings.TrimSpace(text) == ""
}

func isEmptyContent(body entry.JSON) bool {
	content, _ := jsonedit.Get(body, "content")
	return jsonedit.Kind(content) == '[' && jsonedit.Len(content) == 0
}

// callsOf returns the ids of an answer's calls and whether one has no result.
func callsOf(body entry.JSON, answered map[string]bool) (ids []string, dangling bool) {
	content, _ := jsonedit.Get(body, "content")
	if jsonedit.Kind(content) != '[' {
		return nil, false
	}
	for block := range jsonedit.Elements(content) {
		if kind, _ := jsonedit.Text(block, "type"); kind == "toolCall" {
			id, _ := jsonedit.Text(block, "id")
			ids = append(ids, id)
			dangling = dangling || !answered[id]
		}
	}
	return ids, dangling
}

// mend returns an answer without its calls that have no result. What a provider
// signed is no longer true of it: encrypted thinking goes too, and signatures of
// thinking.
func mend(body entry.JSON, answered map[string]bool) entry.JSON {
	content, _ := jsonedit.Get(body, "content")
	if jsonedit.Kind(content) != '[' {
		return body
	}
	var kept jsonedit.Array
	for block := range jsonedit.Elements(content) {
		switch kind, _ := jsonedit.Text(block, "type"); kind {
		case "toolCall":
			if id, _ := jsonedit.Text(block, "id"); !answered[id] {
				continue
			}
		case "redactedThinking":
			continue
		case "thinking":
			if truthy(member(block, "thinkingSignature")) {
				block = jsonedit.Delete(block, "thinkingSignature")
			}
		}
		kept.Add(block)
	}
	return jsonedit.Set(body, "content", kept.Value())
}

// dropFailed drops failed answers and the results of their calls, from the last
// to the first, except where the next message takes up what was interrupted.
func (c *Context) dropFailed(failed []failure) error {
	if len(failed) == 0 {
		return nil
	}
	results := map[string][]int{} // by call, places in the plan
	for n, s := range c.plan {
		if i := int(s.at); s.what == aMessage && c.list.Role(i) == entry.RoleToolResult {
			results[c.list.Ref(i)] = append(results[c.list.Ref(i)], n)
		}
	}
	skip := map[int]int{} // from a dropped step to the next that may not be
	for _, f := range slices.Backward(failed) {
		next, goesOn, err := c.continued(f.n, skip)
		if err != nil {
			return err
		}
		if goesOn {
			continue
		}
		c.plan[f.n].drop = true
		skip[f.n] = next
		for _, id := range f.calls {
			at, _ := slices.BinarySearch(results[id], f.n)
			for _, n := range results[id][at:] {
				c.plan[n].drop = true
			}
			results[id] = results[id][:at]
		}
	}
	return nil
}

// continued finds the message after step n and reports whether it takes up an
// interrupted answer.
func (c *Context) continued(n int, skip map[int]int) (next int, goesOn bool, err error) {
	for n++; n < len(c.plan); {
		s := &c.plan[n]
		if s.drop {
			n = max(n+1, skip[n])
			continue
		}
		i := int(s.at)
		if s.what == aMessage && c.list.Kind(i) == entry.Message && c.list.Role(i) != entry.RoleCustom {
			return n, false, nil
		}
		m, ok, err := c.message(s)
		if err != nil {
			return n, false, err
		}
		if !ok {
			s.drop = true
			continue
		}
		name, _ := jsonedit.Text(m.JSON, "customType")
		return n, m.Role == entry.RoleCustom && name == c.rules.Prune.ContinuedBy, nil
	}
	return n, false, nil
}
