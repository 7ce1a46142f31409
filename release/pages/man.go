package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manual writes a page for a command and for each one below it into a directory.
func manual(dir, date string, cmd *cobra.Command) error {
	if !cmd.IsAvailableCommand() && cmd.HasParent() {
		return nil
	}
	for _, sub := range cmd.Commands() {
		if err := manual(dir, date, sub); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, pageName(cmd)+".1"), page(cmd, date), 0o644)
}

// pageName is the name of a command's page.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// A roff is a page in the language of man(7).
type roff struct{ bytes.Buffer }

// page is the page of a command.
func page(cmd *cobra.Command, date string) []byte {
	cmd.InitDefaultHelpFlag()
	var p roff
	fmt.Fprintf(&p, ".TH %s 1 %s Cambium Cambium\n", strings.ToUpper(pageName(cmd)), date)
	p.head("name")
	fmt.Fprintf(&p, "%s \\- %s\n", roffText(pageName(cmd)), roffText(cmd.Short))
	p.head("synopsis")
	fmt.Fprintf(&p, ".B %s\n", roffText(cmd.UseLine()))
	for _, alias := range cmd.Aliases {
		fmt.Fprintf(&p, ".br\n.B %s\n", roffText(cmd.Parent().CommandPath()+" "+alias))
	}
	p.head("description")
	p.paragraphs(cmp.Or(cmd.Long, cmd.Short+"."))
	p.commands(cmd)
	if cmd.HasParent() {
		p.flags("options", cmd.NonInheritedFlags())
	} else {
		p.flags("options of every command", cmd.PersistentFlags())
	}
	if cmd.Example != "" {
		p.head("examples")
		fmt.Fprintf(&p, ".nf\n%s\n.fi\n", roffText(cmd.Example))
	}
	p.related(cmd)
	return p.Bytes()
}

// head begins a section.
func (p *roff) head(title string) { fmt.Fprintf(p, ".SH %s\n", strings.ToUpper(title)) }

// paragraphs writes a text. An empty line ends a paragraph; one that begins with a tab is
// to be typed, and kept as it is.
func (p *roff) paragraphs(text string) {
	for i, part := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			p.WriteString(".PP\n")
		}
		if typed, ok := strings.CutPrefix(part, "\t"); ok {
			fmt.Fprintf(p, ".RS\n.nf\n%s\n.fi\n.RE\n", roffText(typed))
			continue
		}
		p.WriteString(emphasized(part) + "\n")
	}
}

// emphasized is a text with what stands between backquotes in bold.
func emphasized(text string) string {
	parts := strings.Split(text, "`")
	for i := range parts {
		parts[i] = roffText(parts[i])
		if i%2 == 1 && i < len(parts)-1 {
			parts[i] = `\fB` + parts[i] + `\fR`
		}
	}
	return strings.Join(parts, "")
}

// commands lists the commands below one.
func (p *roff) commands(cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	p.head("commands")
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			fmt.Fprintf(p, ".TP\n.B %s\n%s.\n", roffText(sub.UseLine()), roffText(sub.Short))
		}
	}
}

// flags lists flags.
func (p *roff) flags(title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	p.head(title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		value, text := pflag.UnquoteUsage(f)
		if value != "" {
			name += " " + value
		}
		fmt.Fprintf(p, ".TP\n.B %s\n%s\n", roffText(name), emphasized(text))
	})
}

// related names the pages that stand beside one.
func (p *roff) related(cmd *cobra.Command) {
	var pages []string
	if cmd.HasParent() {
		pages = append(pages, pageName(cmd.Parent()))
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			pages = append(pages, pageName(sub))
		}
	}
	if len(pages) == 0 {
		return
	}
	p.head("see also")
	for i, name := range pages {
		end := ","
		if i == len(pages)-1 {
			end = ""
		}
		fmt.Fprintf(p, ".BR %s (1)%s\n", roffText(name), end)
	}
}

// roffText is a text in which nothing is of the language; no line begins with a dot.
func roffText(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", `\(ga`, "'", `\(aq`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " ")
		if strings.HasPrefix(line, ".") {
			line = `\&` + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
