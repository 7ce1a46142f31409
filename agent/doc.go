// Package agent puts a session under a running agent and takes the agent from
// one session to another, in the order that the programs publish (P3), so that
// hooks, screens and the agent see the same things happen.
//
// # How it is used
//
// Who has an agent, of whatever kind, tells what it can do: a [Driver] stops it,
// replaces its messages, and sets its model and thinking level. Options.Connect
// attaches what listens to it, as a rule something that appends each message to
// [Agent.Session].
//
//	a := agent.New(agent.Options{Driver: driver, Connect: connect, Session: options})
//	err := a.Start(ctx, agent.Start{Path: path})
//	…
//	ok, err := a.Switch(ctx, other)
//	…
//	err = a.Close(ctx)
//
// From then on the session moves through the agent alone: [Agent.Switch],
// [Agent.New], [Agent.Fork], [Agent.Branch], [Agent.Navigate], [Agent.Rename],
// [Agent.Move]. Entries are appended to [Agent.Session] directly.
//
// # What is promised
//
// All or nothing. A target is opened and read whole before the present session is
// given up, and nothing is written before everything else has succeeded. Where
// something fails, the agent is put back where it was: the same session with the
// same leaf, the driver's messages, model and level, the queues, the mode and the
// todos. What ran when it failed was stopped, and hooks that were told of the
// switch are not told that it did not last.
//
// One at a time. What moves the session waits for what moves it already; a hook
// that asks for it meanwhile gets [ErrBusy].
//
// # What a session brings with it
//
// The model: the one that the branch names, if [Models] has it, else that of the
// [Settings], with one line said and no entry written. The thinking level: the
// branch's; a branch that names none gets that of the settings, clamped to the
// model, and an entry that says so, unless the session can only be read. The mode
// is entered in the same way at the start and in a switch. The todos are the
// newest on the branch, else those kept beside the session. [Queues] are emptied.
//
// # Hooks
//
// A hook is a typed function, registered with [On]:
//
//	agent.On(hooks, func(ctx context.Context, e agent.SessionBeforeSwitch) (agent.Reply, error) {
//		return agent.Reply{Cancel: unsaved()}, nil
//	})
//
// Handlers run in the order in which they were registered. The first that cancels
// ends the matter; one that fails, panics or hangs is reported and passed over.
//
// The package calls no model and shows nothing. Compaction is decided in package
// compact; its events are told by who compacts, with [Hooks.Emit].
package agent
