package vfs

import (
	"io/fs"
	"os"
)

// Theirs reports whether what info describes belongs to neither the person nor
// root.
func (i Info) Theirs() bool { return i.UID != 0 && int(i.UID) != os.Geteuid() }

// Stranger says why somebody else may have made what info describes, or may
// change it, and what helps: it is theirs, or everybody can write to it and it is
// no directory with the sticky bit. It is "" for all else. The group of a file is
// believed: its owner chose it. A link says nothing of what it leads to.
func (i Info) Stranger() string {
	switch {
	case i.Theirs():
		return "it belongs to somebody else; chown it if you trust it"
	case i.Mode&fs.ModeSymlink != 0: // its mode means nothing
		return ""
	case i.Mode.Perm()&0o002 != 0 && i.Mode&fs.ModeSticky == 0:
		return "everybody can write to it; chmod o-w helps"
	}
	return ""
}
