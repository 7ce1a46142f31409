package acp

import (
	"github.com/cambium-dev/cambium/internal/offline"
	"github.com/coder/acp-go-sdk"
)

// A store that does not answer is said in data: with what was found, and as an error of
// its own where nothing was.

// aside is what an answer tells beside what the protocol knows; nil for nothing.
func (s *server) aside(look offline.Look) map[string]any {
	outage, why := look.Outage(true)
	if outage == offline.None {
		return nil
	}
	return map[string]any{"cambium": map[string]any{"away": []offline.Report{s.o.Offline.Report(why)}}}
}

// unlessAway returns the error of who found nothing: another one where the store did not
// answer. Errors of anything else stay.
func (s *server) unlessAway(look offline.Look, err error) error {
	none := err == nil || fault(err).Code == codeNotFound
	if !none && !s.o.Offline.Lacks(err) {
		return err
	}
	outage, why := look.Outage(false)
	if outage == offline.None {
		return err
	}
	m := s.o.Offline.Missing(why)
	return &acp.RequestError{Code: codeAway, Message: m.Error(), Data: map[string]any{
		"away": []offline.Report{m.Report}, "hint": "is the store running, and can it be reached from here?",
	}}
}
