// Package rulebook has the shape of the rules by which a dialect's context is rebuilt
// and sent to a model. It holds no rules: those of each dialect stand in
// internal/spelling, and replay follows them.
package rulebook
