package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cambium-dev/cambium/internal/problem"
	"github.com/cambium-dev/cambium/internal/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A help text is as wide as the terminal, but no wider than this, in cells.
const widestHelp = 100

// helper lays out help texts for a width. It asks the terminal nothing, so that
// they come out of a dumb one as they are.
type helper struct {
	out     io.Writer
	cols    int
	palette term.Palette
}

func newHelper(a *app, cmd *cobra.Command) helper {
	return helper{out: cmd.OutOrStdout(), cols: min(a.Cols, widestHelp),
		palette: term.NewPalette(term.Color(a.Getenv, a.TTY, a.NoColor))}
}

// topicFlags is the page of the help that tells the flags of every command.
const topicFlags = "flags"

// showFlags writes the page of the flags that every command takes.
func showFlags(a *app, cmd *cobra.Command) {
	h := newHelper(a, cmd)
	h.text("", "These flags may stand before a command or behind it. A command that has no use for one takes it and goes on.")
	h.flags("flags of every command", cmd.Root().PersistentFlags().FlagUsagesWrapped(h.cols))
}

// ownFlags are the flags that a command has and others do not.
func ownFlags(cmd *cobra.Command) *pflag.FlagSet {
	own := pflag.NewFlagSet(cmd.Name(), pflag.ContinueOnError)
	global := cmd.Root().PersistentFlags()
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if global.Lookup(f.Name) != f {
			own.AddFlag(f)
		}
	})
	return own
}

// globalNames names the flags that every command takes.
func globalNames(cmd *cobra.Command) string {
	flags := cmd.InheritedFlags()
	if !cmd.HasParent() {
		flags = cmd.PersistentFlags()
	}
	var names []string
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return strings.Join(names, ", ")
}

// showHelp writes what there is to know of a command.
func showHelp(a *app, cmd *cobra.Command, _ []string) {
	h := newHelper(a, cmd)
	h.text("", cmp.Or(cmd.Long, cmd.Short))
	h.head("usage")
	h.text("  ", cmd.UseLine())
	if len(cmd.Aliases) > 0 {
		h.text("  ", "also: "+strings.Join(cmd.Aliases, ", "))
	}
	if cmd.Example != "" {
		h.head("examples")
		for line := range strings.Lines(cmd.Example) {
			fmt.Fprintf(h.out, "  %s\n", strings.TrimSpace(line))
		}
	}
	h.commands(cmd)
	h.flags("flags", ownFlags(cmd).FlagUsagesWrapped(h.cols))
	fmt.Fprintln(h.out)
	h.text("", "`cambium help flags` tells the flags of every command: "+globalNames(cmd)+".")
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(h.out, "\n`%s COMMAND --help` says more of one.\n", cmd.CommandPath())
	}
}

// newHelp is the command that tells the help of another one.
func newHelp(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Tell the help of a command",
		GroupID: groupMore,
		Args:    cobra.ArbitraryArgs,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if len(args) == 0 {
				names = append(names, topicFlags+"\tThe flags of every command")
			}
			if of, rest, err := cmd.Root().Find(args); err == nil && len(rest) == 0 {
				for _, sub := range of.Commands() {
					if sub.IsAvailableCommand() {
						names = append(names, sub.Name()+"\t"+sub.Short)
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: a.run(func(_ context.Context, cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == topicFlags {
				showFlags(a, cmd)
				return nil
			}
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return noCommand(cmd.Root(), strings.Join(args, " "))
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		}),
	}
}

// noCommand is the refusal of a command that there is none of below cmd.
func noCommand(cmd *cobra.Command, name string) error {
	p := problem.Usage("no command is called %q", name)
	p.Todo = fmt.Sprintf("`%s --help` lists them", cmd.CommandPath())
	if like := cmd.SuggestionsFor(name); name != "" && len(like) > 0 {
		slices.SortStableFunc(like, func(a, b string) int { // who slips, slips behind the first letter
			switch right := name[0]; {
			case a[0] == right && b[0] != right:
				return -1
			case b[0] == right && a[0] != right:
				return 1
			}
			return 0
		})
		p.Todo = "did you mean " + strings.Join(like, " or ") + "?"
	}
	return p
}

// head writes a headline.
func (h helper) head(title string) {
	fmt.Fprintf(h.out, "\n%s\n", h.palette.Bold(strings.ToUpper(title)))
}

// text writes a text, each line behind an indentation.
func (h helper) text(indent, s string) {
	for line := range term.Wrapped(s, h.cols-len(indent)) {
		fmt.Fprintln(h.out, strings.TrimRight(indent+line, " "))
	}
}

// commands writes the commands below one, group by group; those of no group come
// first.
func (h helper) commands(cmd *cobra.Command) {
	groups := append([]*cobra.Group{{Title: "commands"}}, cmd.Groups()...)
	for _, group := range groups {
		of := slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool {
			return c.GroupID != group.ID || !c.IsAvailableCommand() && c.Name() != "help"
		})
		if len(of) == 0 {
			continue
		}
		h.head(group.Title)
		for _, c := range of {
			h.row("  "+term.Pad(c.Name(), c.NamePadding())+"  ", c.Short)
		}
	}
}

// row writes a text behind a name, its further lines below its first.
func (h helper) row(name, s string) {
	for line := range term.Wrapped(s, h.cols-term.Width(name)) {
		fmt.Fprintln(h.out, name+line)
		name = strings.Repeat(" ", term.Width(name))
	}
}

// flags writes the flags that pflag has laid out.
func (h helper) flags(title, usages string) {
	if usages == "" {
		return
	}
	h.head(title)
	fmt.Fprint(h.out, usages)
}
