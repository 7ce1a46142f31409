package export

import (
	"bufio"
	"context"
	"io"
	"iter"

	"github.com/cambium-dev/cambium/entry"
	"github.com/cambium-dev/cambium/internal/jsonedit"
)

// JSON writes a session as one object: what is known of it, the ids of the entries that
// the model sees, and each entry as it is stored.
func JSON(ctx context.Context, w io.Writer, s Session, seen []string, lines iter.Seq2[entry.JSON, error], o Options) (Report, error) {
	var report Report
	s = o.About(s)
	b := bufio.NewWriterSize(w, 64<<10)
	about := new(jsonedit.Object).String("id", s.ID).String("title", s.Title).String("agent", s.Agent).String("cwd", s.CWD)
	if !s.Began.IsZero() {
		about.String("began", jsonedit.FormatTime(s.Began.UnixMilli()))
	}
	for _, part := range [][]byte{[]byte(`{"session":`), about.Value(), []byte(`,"context":`), jsonedit.Strings(seen...), []byte(`,"entries":[`)} {
		_, _ = b.Write(part) // a bufio.Writer keeps its error
	}
	for line, err := range lines {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return report, err
		}
		if report.Entries++; report.Entries > 1 {
			_ = b.WriteByte(',')
		}
		if o.Redact != nil {
			line = jsonText(o.Redact, line)
		}
		_ = b.WriteByte('\n')
		if _, err := b.Write(line); err != nil {
			return report, err
		}
		if o.Told != nil {
			o.Told()
		}
	}
	_, _ = b.WriteString("\n]}\n")
	return report, b.Flush()
}
