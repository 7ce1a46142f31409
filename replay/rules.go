package replay

import (
	"github.com/cambium-dev/cambium/dialect"
	"github.com/cambium-dev/cambium/internal/spelling"
)

// A form is what gives the rules for rebuilding a context: the name of a dialect, or
// the rules themselves.
type form interface{ dialect.Name | spelling.Rules }

// rulesOf returns the rules that a form gives.
func rulesOf[F form](f F) spelling.Rules {
	switch f := any(f).(type) {
	case dialect.Name:
		return spelling.For(f).Replay
	case spelling.Rules:
		return f
	}
	return spelling.Rules{}
}

// A sending gives the rules for what is sent to a model: the name of a dialect, or the
// rules themselves.
type sending interface{ dialect.Name | spelling.LLM }

// llmOf returns the rules that a sending gives.
func llmOf[S sending](s S) spelling.LLM {
	switch s := any(s).(type) {
	case dialect.Name:
		return spelling.For(s).LLM
	case spelling.LLM:
		return s
	}
	return spelling.LLM{}
}
