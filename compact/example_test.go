package compact_test

import (
	"fmt"

	"github.com/cambium-dev/cambium/agent"
	"github.com/cambium-dev/cambium/compact"
)

// What is to be kept of a conversation is part of an agent's settings.
func Example() {
	settings := agent.Settings{Compaction: compact.Settings{KeepRecent: 10_000, ThresholdPercent: 80}}
	fmt.Println(settings.Compaction.Disabled, settings.Compaction.KeepRecent)
	// Output: false 10000
}
