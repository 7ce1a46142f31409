// Package coder is the built-in agent: it asks a model, runs the tools that the
// model calls, and writes all that is said into a session.
//
// It has no screen. A [Coder] is an agent.Driver, so that its session moves
// through package agent as that of any other agent does; what happens is told as
// [Event] values; whether a tool may change something is asked through
// Options.Approve.
//
// # A prompt
//
// [Coder.Prompt] appends the user's message and then takes turns: the model is
// sent the branch as the session's dialect rebuilds it; its answer is appended
// when it has ended; the tools it calls are run in order, those that only read
// side by side, and their results appended in the order of the calls. Messages
// of the queue agent.Steering follow the results of a turn, those of
// agent.FollowUp an answer without calls, and the turns go on.
//
// # What a session gets
//
// Nothing of an answer is appended before it has ended, so that a try which broke
// leaves no trace. An answer that failed for good is appended with the stop reason
// error and the reason as errorMessage, and one that was stopped with the stop
// reason aborted, each with the text that had come and without calls: the session
// says what happened, and what was paid for is counted. Calls that were not run,
// since the prompt was stopped or nobody could be asked, get a result that says
// so. Only a process that is killed leaves calls without a result; what is sent to
// a model is mended then, and nothing is added to what is stored.
//
// Where there is no model or no key, a prompt is refused before it is appended.
package coder
