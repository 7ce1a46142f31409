package scratch

import (
	"os"
	"runtime/debug"
)

// CollectSeldom has the garbage of this process collected less often than that of a
// program: tests make much of it and keep little, and collecting took up to a third of
// their time. It does nothing where GOGC says how often. It is for TestMain.
func CollectSeldom() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
