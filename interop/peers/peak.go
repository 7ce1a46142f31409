package peers

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// PeakKB returns the greatest resident memory of a process until now, in KiB, 0
// for this one. It is read of the process while it lives: what getrusage and wait
// tell is never less than the peak of the process that started it, which the
// system notes when a program is executed.
func PeakKB(pid int) (int64, error) {
	who := "self"
	if pid > 0 {
		who = strconv.Itoa(pid)
	}
	text, err := os.ReadFile("/proc/" + who + "/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
		}
	}
	return 0, fmt.Errorf("read status of process %s: no VmHWM", who)
}
