package replay

import (
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/rulebook"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// A form is what gives the rules for rebuilding a context: the name of a dialect, or
// the rules themselves.
type form interface{ dialect.Name | rulebook.Rules }

// rulesOf returns the rules that a form gives.
func rulesOf[F form](f F) rulebook.Rules {
	switch f := any(f).(type) {
	case dialect.Name:
		return spelling.Rules(f).Replay
	case rulebook.Rules:
		return f
	}
	return rulebook.Rules{}
}

// A sending gives the rules for what is sent to a model: the name of a dialect, or the
// rules themselves.
type sending interface{ dialect.Name | rulebook.LLM }

// llmOf returns the rules that a sending gives.
func llmOf[S sending](s S) rulebook.LLM {
	switch s := any(s).(type) {
	case dialect.Name:
		return spelling.Rules(s).LLM
	case rulebook.LLM:
		return s
	}
	return rulebook.LLM{}
}
