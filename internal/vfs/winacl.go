package vfs

import "io/fs"

// What somebody may do to a file on Windows is said by a list of rights. These
// functions say the same in the bits of a mode: the person's own rights are those of
// the owner, and what anybody else may do is what the group and all others may do.
// They are pure, and all systems test them.

// Rights of Windows.
const (
	rightRead        = 0x1 // of a directory: to list it
	rightWrite       = 0x2 // to add a file
	rightAppend      = 0x4 // to add a directory
	rightDeleteChild = 0x40
	rightDelete      = 0x1_0000
	rightChangeList  = 0x4_0000
	rightTakeOver    = 0x8_0000
	rightAll         = 0x1000_0000
	rightGenericW    = 0x4000_0000
	rightGenericR    = 0x8000_0000
)

// An ace is one row of a list: what is granted to somebody.
type ace struct {
	mask uint32
	// trusted is granted to the person, the system or an administrator.
	trusted bool
	// later is for what is made in the directory, not for itself.
	later bool
}

// aclMode returns the permission bits that a list of rights comes to, of the rows
// that grant something. What is denied is not taken off: it may be to somebody else.
func aclMode(list []ace, dir bool) fs.FileMode {
	const replace = rightDeleteChild | rightDelete | rightChangeList | rightTakeOver | rightAll
	const write = rightWrite | rightAppend | rightGenericW
	var others fs.FileMode
	added, replaced := false, false
	for _, a := range list {
		if a.trusted || a.later {
			continue
		}
		if a.mask&(rightRead|rightAll|rightGenericR) != 0 {
			others |= 0o044
		}
		added = added || a.mask&write != 0
		replaced = replaced || a.mask&replace != 0
	}
	if added || replaced {
		others |= 0o022
	}
	if dir && added && !replaced {
		others |= fs.ModeSticky // as in one where all may write, and nobody over others
	}
	return others
}
