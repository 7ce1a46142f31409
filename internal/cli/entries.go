package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cambium-dev/cambium/internal/vfs"
	"github.com/cambium-dev/cambium/session"
	"github.com/spf13/cobra"
)

func newEntries(a *app) *cobra.Command {
	var raw bool
	cmd := &cobra.Command{
		Use:   "entries SESSION",
		Short: "Print the stored line of each entry, byte for byte",
		Long: "Prints the stored line of each entry, byte for byte, in the order of the file. " +
			"Damaged lines, the header and title slots are left out; a line on which two entries are glued gives both.",
		GroupID: groupRead,
		Example: "cambium entries 0198c2a1 | jq -r .type | sort | uniq -c",
		Args:    cobra.ExactArgs(1),
		RunE: a.run(func(ctx context.Context, _ *cobra.Command, args []string) error {
			s, err := openRead(ctx, a, args[0])
			if err != nil {
				return err
			}
			defer s.Close()
			a.lib.Damage(s)
			a.literal()
			if raw {
				return rawLines(ctx, a, s)
			}
			return storedLines(ctx, a, s)
		}),
	}
	takesSession(a, cmd)
	cmd.Flags().BoolVar(&raw, "raw", false, "all lines of the file as they are, the damaged ones too")
	return cmd
}

// storedLines prints the lines of the entries. One that cannot be read is named
// on stderr and costs only itself.
func storedLines(ctx context.Context, a *app, s *session.Session) error {
	failed := 0
	all := func(yield func(int) bool) {
		for i := 0; i < s.Len() && ctx.Err() == nil && yield(i); i++ {
		}
	}
	for line, err := range s.Lines(all) {
		if err != nil {
			failed++
			a.note(s.Path(), err.Error())
			continue
		}
		if _, err := a.out.Write(line); err != nil {
			return err
		}
		if err := a.out.WriteByte('\n'); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if failed > 0 {
		return problem{exit: exitPartly, path: s.Path(), text: fmt.Sprintf("read session %q: %s could not be read", s.Path(), plural(failed, "entry"))}
	}
	return nil
}

// rawLines prints the file. What is appended meanwhile is not part of it.
func rawLines(ctx context.Context, a *app, s *session.Session) (err error) {
	if a.lib.Shared != nil {
		return sharedLines(ctx, a, s.Path())
	}
	path, err := vfs.Resolve(vfs.OS(), s.Path())
	if err != nil {
		return trouble(s.Path(), err)
	}
	f, err := vfs.OS().Open(path, os.O_RDONLY)
	if err != nil {
		return trouble(s.Path(), err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = io.Copy(a.out, reader{ctx, io.NewSectionReader(f, 0, info.Size)})
	return err
}

// A reader ends when its context does.
type reader struct {
	ctx context.Context
	io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
