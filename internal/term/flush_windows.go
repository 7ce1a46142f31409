package term

import "golang.org/x/sys/windows"

// flush forgets what was typed on a terminal and not read.
func flush(fd int) error { return windows.FlushConsoleInputBuffer(windows.Handle(fd)) }
