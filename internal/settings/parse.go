package settings

import (
	"bytes"
	"strings"

	"github.com/cambium-dev/cambium/internal/model"
)

// Parse reads the bytes of a settings file. unknown are the names of the members
// that were passed over, in their order. The error is an *[Error], without the
// file.
func Parse(data []byte) (s Settings, unknown []string, err error) {
	// Editors of some systems put a mark before what they save.
	mark := len(data)
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	mark -= len(data)
	top, bad := parse(data)
	r := &reader{data: data, err: bad}
	s = Defaults()
	if bad == nil {
		r.settings(top, &s)
	}
	if r.err != nil {
		if r.err.Line == 1 {
			r.err.Byte += mark
		}
		return Defaults(), nil, r.err
	}
	return s, r.unknown, nil
}

func (r *reader) settings(n *node, s *Settings) {
	r.object(n, map[string]func(*node){
		"model":           func(n *node) { s.Model = r.line(n, `a model as "provider/id"`) },
		"thinkingLevel":   func(n *node) { s.ThinkingLevel = r.word(n, model.Levels()) },
		"thinkingBudgets": func(n *node) { s.Budgets = r.budgets(n) },
		"compaction":      func(n *node) { r.compaction(n, s) },
		"retry":           func(n *node) { r.retry(n, &s.Retry) },
		"providers": func(n *node) {
			r.each(n, "an object of providers", func(n *node) { s.Providers = append(s.Providers, r.provider(n)) })
		},
		"hooks": func(n *node) { r.hooks(n, s) },
		"stats": func(n *node) {
			r.object(n, map[string]func(*node){
				"dailyBudget": func(n *node) { s.DailyBudget = r.number(n, 0, 1_000_000) },
			})
		},
		"tools": func(n *node) {
			r.object(n, map[string]func(*node){
				"timeoutMs": func(n *node) { s.ToolTimeout = r.milliseconds(n, 1) },
			})
		},
	})
}

func (r *reader) budgets(n *node) model.Budget {
	b := model.Budget{}
	take := map[string]func(*node){}
	for _, level := range model.Levels() {
		if level != model.Off {
			take[level] = func(n *node) { b[level] = r.whole(n, 1) }
		}
	}
	r.object(n, take)
	return b
}

func (r *reader) compaction(n *node, s *Settings) {
	c := &s.Compaction
	r.object(n, map[string]func(*node){
		"enabled":          func(n *node) { c.Disabled = !r.flag(n) },
		"reserveTokens":    func(n *node) { c.Reserve = orNone(r.whole(n, 0)) },
		"keepRecentTokens": func(n *node) { c.KeepRecent = orNone(r.whole(n, 0)) },
		"thresholdTokens":  func(n *node) { c.ThresholdTokens = r.whole(n, 1) },
		"thresholdPercent": func(n *node) { c.ThresholdPercent = r.number(n, 1, 99) },
		"prune":            func(n *node) { s.Prune = r.flag(n) },
	})
}

// orNone spells what the user calls 0 as compact.Settings does, where 0 is the
// default.
func orNone(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

func (r *reader) retry(n *node, t *Retry) {
	r.object(n, map[string]func(*node){
		"maxTries":    func(n *node) { t.Tries = r.whole(n, 1) },
		"baseDelayMs": func(n *node) { t.BaseDelay = r.milliseconds(n, 0) },
		"maxDelayMs":  func(n *node) { t.MaxDelay = r.milliseconds(n, 0) },
	})
}

func (r *reader) hooks(n *node, s *Settings) {
	take := map[string]func(*node){}
	for _, event := range Events() {
		take[event] = func(n *node) {
			r.list(n, "a list of hooks", func(n *node) {
				h := Hook{Event: event}
				r.object(n, map[string]func(*node){
					"command":   func(n *node) { h.Command = r.text(n, "a command") },
					"timeoutMs": func(n *node) { h.Timeout = r.milliseconds(n, 1) },
				})
				if h.Command == "" && r.err == nil {
					r.refuse(n, "expected a command in the hook")
				}
				s.Hooks = append(s.Hooks, h)
			})
		}
	}
	r.object(n, take)
}

// variable reports whether a text can be the name of a variable.
func variable(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	return s != "" && strings.Trim(s, letters+"0123456789") == "" && strings.IndexByte(letters, s[0]) >= 0
}
