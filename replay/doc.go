// Package replay walks a branch from its root to its leaf and rebuilds what the
// model sees: the messages, and the state around them (model, thinking level,
// mode and so on), as the published buildSessionContext does (P1, P5).
//
// The dialects differ; their differences come in as [Rules], a value that the
// package dialect holds. Nothing here knows a dialect by name.
//
// It is lazy. [Build] looks at the index, loads the few entries that hold
// settings and decides which entries are selected. [Context.Messages] loads one
// body after the other and passes it on as it is stored, byte for byte, unless
// the rules ask for a change. What is stored with a wrong type is passed over or
// passed on, never a panic, and flagged (see [Context.Flagged]); an error means
// that a line could not be loaded.
//
// [Convert] turns messages into what is sent to a model. [Context.Items] is the
// same branch as a person sees it.
package replay
