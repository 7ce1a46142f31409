package usage

import "github.com/cambium-dev/cambium/dialect"

// Copies say how the copies of a charge in other sessions are known, besides by the id and the
// time of the entry.
type Copies uint8

const (
	// ByMoment knows them by the provider's id of the response and the time of the message:
	// some servers give one id to all responses.
	ByMoment Copies = iota
	// ByResponse knows them by the provider's id alone: it is never given twice, and copies
	// may have times of their own.
	ByResponse
	// ByCost knows them by the time, the model and what it took: copies have ids of their
	// own.
	ByCost
)

// CopiesOf returns how the copies are known that an agent makes of its own sessions.
func CopiesOf(agent dialect.Name) Copies {
	switch agent {
	case "claude", "codex":
		return ByResponse
	case "opencode", "crush":
		return ByCost
	}
	return ByMoment
}
