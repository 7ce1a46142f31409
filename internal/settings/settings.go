package settings

import (
	"time"

	"github.com/cambium-dev/cambium/compact"
	"github.com/cambium-dev/cambium/internal/model"
)

// File is the name of the file in the configuration directory.
const File = "settings.json"

// Defaults of [Retry] (pi 0.87.1, whose three retries are tries after the first).
const (
	DefaultTries     = 4
	DefaultBaseDelay = 2 * time.Second
	DefaultMaxDelay  = time.Minute
)

// Settings are what the user chose. [Defaults] has what holds without a file.
type Settings struct {
	// Model is the default model, as [model.Registry.Resolve] takes it; "" for
	// none.
	Model string
	// ThinkingLevel is the default level; "" for none.
	ThinkingLevel string
	// Budgets are the tokens to think for models that are asked by number.
	Budgets    model.Budget
	Compaction compact.Settings
	// Prune says whether long results of tools are cut before a compaction.
	Prune bool
	Retry Retry
	// Providers are what the user says of providers and models, in the file's
	// order.
	Providers []model.Provider
	// Hooks are the commands to run, in the file's order.
	Hooks []Hook
	// ToolTimeout is how long a tool may run that does not say; 0 is the tools'
	// own default.
	ToolTimeout time.Duration
	// DailyBudget is how many dollars a day may cost before `cambium stats --format
	// prompt` says so in red; 0 is for no budget.
	DailyBudget float64
}

// Retry says how often a model is asked again that did not answer.
type Retry struct {
	// Tries is how often a request is sent at most, the first time included.
	Tries int
	// BaseDelay is how long to wait before the second try; each further wait is
	// twice as long, MaxDelay at most.
	BaseDelay, MaxDelay time.Duration
}

// A Hook is a command to run on an event.
type Hook struct {
	// Event is the published name.
	Event string
	// Command is for "sh -c".
	Command string
	// Timeout is how long it may take; 0 is the default of package agent.
	Timeout time.Duration
}

// Defaults returns the settings of somebody who chose nothing.
func Defaults() Settings {
	return Settings{
		Prune: true,
		Retry: Retry{Tries: DefaultTries, BaseDelay: DefaultBaseDelay, MaxDelay: DefaultMaxDelay},
	}
}

// Events returns the names of the events that hooks may be for (published).
func Events() []string {
	return []string{
		"session_start", "session_before_switch", "session_switch", "session_before_branch", "session_branch",
		"session_before_tree", "session_tree", "session_before_compact", "session.compacting", "session_compact",
		"session_shutdown",
	}
}
