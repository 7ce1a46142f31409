package coder

import (
	"fmt"
	"strings"
)

// systemPrompt says what a model is told before the conversation. It is the same
// for all turns of a prompt and, on one day, for those that follow, so that
// providers can keep it.
func (c *Coder) systemPrompt() string {
	dir := c.agent.Dir()
	var b strings.Builder
	if c.opt.System != "" {
		b.WriteString(c.opt.System)
	} else {
		b.WriteString("You are a coding agent. You work on a person's files, in the directory below, and talk to that person.\n\n" +
			"- Look before you change: read what you are about to edit, and what depends on it.\n" +
			"- Do what was asked, no more, and see for yourself that it works.\n" +
			"- Where a call is refused or fails, say so and do not try to get around it.\n" +
			"- Answer briefly and name files by their paths.\n")
		if len(c.equipment().specs) > 0 {
			fmt.Fprintf(&b, "\nYour tools: %s. Paths are relative to the directory.\n", c.toolNames())
		}
	}
	fmt.Fprintf(&b, "\nDirectory: %s\nDate: %s\n", dir, c.opt.Now().Format("2006-01-02"))
	b.WriteString(told(Instructions(dir)))
	if c.opt.MoreSystem != "" {
		b.WriteString("\n" + c.opt.MoreSystem + "\n")
	}
	return b.String()
}
