package cli

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// trim gives the pages of the program itself back to the kernel, of which a start
// touches many that are not needed again: they are read-only and unchanged, stay
// in the page cache, and those that are needed are mapped again as they are. Where
// that is not possible nothing happens.
func trim() {
	exe, err := os.Executable()
	if err != nil {
		return
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer f.Close()
	var from, to uint64
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) >= 5 && strings.Contains(words[0], "-"):
			from, to = 0, 0
			if words[len(words)-1] == exe && words[1][1] == '-' {
				from, to = bounds(words[0])
			}
		case len(words) >= 2 && words[0] == "Anonymous:":
			if words[1] == "0" && to > from { // nothing of it was changed, by relocations
				_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(from), uintptr(to-from), unix.MADV_DONTNEED)
			}
			from, to = 0, 0
		}
	}
}

// bounds reads the addresses of a mapping.
func bounds(s string) (from, to uint64) {
	first, last, _ := strings.Cut(s, "-")
	from, err := strconv.ParseUint(first, 16, 64)
	if err != nil {
		return 0, 0
	}
	if to, err = strconv.ParseUint(last, 16, 64); err != nil {
		return 0, 0
	}
	return from, to
}
