package repair

import (
	"fmt"
	"path/filepath"

	"github.com/cambium-dev/cambium/internal/defects"
)

// maxMended is the longest damaged line that a repair holds, and keeps for an undo, in
// bytes.
const maxMended = 1 << 30

// tooLong reports whether a damaged line is longer than a repair holds, as one is that
// ends in a hole of the file. Then it finds the damaged lines and plans nothing.
func (x *exam) tooLong() bool {
	long := false
	for _, b := range x.harm.Bad {
		long = long || b.Len > maxMended
	}
	if !long {
		return false
	}
	for _, b := range x.harm.Bad {
		f := Finding{Kind: Kind(b.Kind), Line: b.Line, Byte: b.Byte, Detail: b.Reason,
			Plan: "nothing, as long as another line of the file is too long"}
		if b.Len > maxMended {
			f.Detail = fmt.Sprintf("%s; the line has %d bytes", b.Reason, b.Len)
			f.Plan = "nothing: the line is too long to be kept for an undo"
			if b.Kind == defects.BadZeros && x.harm.Torn && x.d.opt.Store == nil {
				f.Plan += fmt.Sprintf("; `truncate -s %d` of %q takes it out", b.Byte, filepath.Base(x.path))
			}
		}
		x.r.add(f)
	}
	return true
}
