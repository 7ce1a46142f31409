package coder

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/cambium-dev/cambium/internal/coder/provider"
	"github.com/cambium-dev/cambium/replay"
)

// Advice returns what to do about an error of a prompt, "" where that is not
// known.
func (c *Coder) Advice(err error) string {
	var asked *provider.Error
	switch {
	case errors.Is(err, ErrNoModel):
		return "name one with --model, or in the settings"
	case !errors.As(err, &asked):
		return ""
	}
	switch asked.Cause {
	case provider.Unauthorized:
		m := c.mind().model
		if m == nil || m.KeyEnv == "" {
			return "see which key the server wants"
		}
		return fmt.Sprintf("see that %s holds a key that is valid and may use this model", m.KeyEnv)
	case provider.Overflow:
		return "choose a model with a larger window, or begin a new session"
	case provider.Refused:
		if asked.Status == http.StatusNotFound || asked.Status/100 == 3 {
			return "see that the server's address (baseUrl) is right and that it has the model, then prompt again"
		}
		return "see that the model is one of the server's, then prompt again"
	case provider.Busy:
		return "wait a while, then prompt again"
	case provider.Unreachable:
		return fmt.Sprintf("see that a server runs at %s and can be reached, then prompt again", asked.Host)
	case provider.Broken, provider.Malformed:
		return "prompt again, or choose another model"
	}
	return ""
}

// registered is the registry as the agent asks it.
type registered struct{ Registry }

// Window returns how many tokens a model takes in all, 0 for not known.
func (r registered) Window(m replay.Model) int {
	found, _ := r.Find(m.Provider, m.ModelID)
	return found.Window
}
