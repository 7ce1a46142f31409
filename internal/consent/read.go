package consent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Read returns the call that rows show; see [Call.Show]. The error is for rows that
// Show does not make of any call.
func Read(rows []string) (Call, error) {
	c, err := parseLines(Unwrap(rows))
	if err != nil {
		return Call{}, err
	}
	for _, ascii := range []bool{false, true} {
		again, err := c.rows(Screen{ASCII: ascii})
		if err == nil && slices.EqualFunc(again, Unwrap(rows), func(r Row, line string) bool { return r.Text == line }) {
			return c, nil
		}
	}
	return Call{}, errors.New("read a question: it is not written as questions are")
}

// parseLines reads the lines of a question, however they are indented.
func parseLines(lines []string) (Call, error) {
	r := reader{lines: lines}
	c, err := r.call()
	if err != nil {
		return Call{}, fmt.Errorf("read line %d of a question: %w", r.at, err)
	}
	return c, nil
}

// A reader goes through the lines of a question.
type reader struct {
	lines []string
	at    int
}

// peek returns the next line without its indentation; "" at the end.
func (r *reader) peek() string {
	if r.at == len(r.lines) {
		return ""
	}
	return strings.TrimLeft(r.lines[r.at], " ")
}

func (r *reader) next() string {
	line := r.peek()
	r.at++
	return line
}

var errLine = errors.New("it says nothing that is known")

func (r *reader) call() (c Call, err error) {
	line, ok := strings.CutPrefix(r.peek(), runs)
	if !ok || !strings.HasSuffix(line, "?") {
		return c, errLine
	}
	r.at++
	name, rest, err := cutWord(strings.TrimSuffix(line, "?"))
	if err != nil {
		return c, err
	}
	c.Tool = name
	if rest, ok = strings.CutPrefix(rest, " in "); !ok {
		return c, errLine
	}
	if c.Dir, err = Original(rest); err != nil {
		return c, err
	}
	for _, own := range []struct {
		begin string
		into  *string
	}{{leads, &c.Leads}, {acts, &c.Acts}, {shell, &c.Shell}} {
		if rest, ok := r.own(own.begin); ok {
			if *own.into, err = Original(rest); err != nil {
				return c, err
			}
		}
	}
	r.own(isBare)
	top := node{kind: '{'}
	if err := r.children(&top); err != nil {
		return c, err
	}
	r.own(isReverse)
	_, good := r.own(always)
	c.Once = !good
	if r.at != len(r.lines) {
		return c, errLine
	}
	c.Arguments = top.encode(nil)
	return c, nil
}

// own takes the next line if it is one of the question's own that begins so.
func (r *reader) own(begin string) (rest string, ok bool) {
	if r.at < len(r.lines) {
		if rest, ok = strings.CutPrefix(r.lines[r.at], begin); ok {
			r.at++
		}
	}
	return rest, ok
}

// children reads members or elements up to what closes them.
func (r *reader) children(n *node) error {
	for r.at < len(r.lines) && strings.HasPrefix(r.lines[r.at], " ") {
		line := r.next()
		if line == string(n.kind+2) {
			return nil
		}
		if line == both+":" {
			from, to := r.texts()
			for _, t := range []struct {
				name  string
				lines []string
			}{{oldText, from}, {newText, to}} {
				text, err := joined(t.lines)
				if err != nil {
					return err
				}
				n.children = append(n.children, node{kind: '"', name: t.name, text: text})
			}
			continue
		}
		child, err := r.labelled(n, line)
		if err != nil {
			return err
		}
		n.children = append(n.children, child)
	}
	return nil
}

// labelled reads a value whose label begins a line.
func (r *reader) labelled(in *node, line string) (child node, err error) {
	if in.kind == '[' {
		line = strings.TrimLeft(line, "0123456789")
	} else if child.name, line, err = cutWord(line); err != nil {
		return child, err
	}
	if line == ":" {
		lines, _ := r.texts()
		child.kind = '"'
		child.text, err = joined(lines)
		return child, err
	}
	if text, ok := strings.CutPrefix(line, ": "); ok {
		child.kind = '"'
		child.text, err = Original(text)
		return child, err
	}
	text, ok := strings.CutPrefix(line, " = ")
	switch {
	case !ok:
		return child, errLine
	case text == "{" || text == "[":
		child.kind = text[0]
		return child, r.children(&child)
	case text == "{}" || text == "[]" || text == `""`:
		child.kind = text[0]
		return child, nil
	}
	child.text = text
	return child, nil
}

// texts reads lines behind signs: those of the first and of the second of two
// texts.
func (r *reader) texts() (from, to []string) {
	for line := r.peek(); line != "" && strings.HasPrefix(r.lines[r.at], " "); line = r.peek() {
		text := strings.TrimPrefix(line[1:], " ")
		switch line[0] {
		case '|':
			from, to = append(from, text), append(to, text)
		case '-':
			from = append(from, text)
		case '+':
			to = append(to, text)
		default:
			return from, to
		}
		r.at++
	}
	return from, to
}

// joined is a text of the lines that show it.
func joined(lines []string) (string, error) {
	all := make([]string, len(lines))
	for i, line := range lines {
		var err error
		if all[i], err = Original(line); err != nil {
			return "", err
		}
	}
	return strings.Join(all, "\n"), nil
}

// cutWord reads the name with which a text begins.
func cutWord(text string) (name, rest string, err error) {
	if inner, ok := strings.CutPrefix(text, `"`); ok {
		quoted, rest, ok := strings.Cut(inner, `"`)
		if !ok {
			return "", "", errLine
		}
		name, err = Original(quoted)
		return name, rest, err
	}
	end := strings.IndexAny(text, " :")
	if end < 0 {
		return "", "", errLine
	}
	return text[:end], text[end:], nil
}
