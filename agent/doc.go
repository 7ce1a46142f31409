// Package agent puts a session under a running agent and takes the agent from
// one session to another, in the order that the programs publish (P3), so that
// hooks, screens and the agent see the same things happen.
//
// # How it is used
//
// Who has an agent, of whatever kind, tells what it can do: a [Driver] stops it,
// replaces its messages, and sets its model and thinking level. Options.Connect
// attaches what listens to it, as a rule something that appends each message to
// [Agent.Session] when it is whole.
//
//	a := agent.New(agent.Options{Driver: driver, Connect: connect, Session: options})
//	err := a.Start(ctx, agent.Start{Path: path})
//	…
//	ok, err := a.Switch(ctx, other)
//	…
//	err = a.Close(ctx)
//
// From then on the session moves through the agent alone: [Agent.Switch],
// [Agent.New], [Agent.Fork], [Agent.Branch], [Agent.Navigate], [Agent.Compact],
// [Agent.Prune], [Agent.Rename], [Agent.Move]. Entries are appended to
// [Agent.Session] directly.
//
// A driver gets what the model sees as a replay.Context: the messages are read when
// it asks for them, so that going to a session of 100 MB costs a few milliseconds.
// Before it asks its model it takes them from Session.LLM, cleaned, or goes on with
// the ones that it has.
//
// # What is promised
//
// All or nothing. A target is opened and its branch rebuilt before the present
// session is given up, and nothing is written before everything else has succeeded.
// Where something fails, the agent is put back where it was: the same session with
// the same leaf, the driver's messages, model and level, the queues, the mode and
// the todos. What ran when it failed was stopped, and hooks that were told of the
// switch are not told that it did not last.
//
// One at a time. What moves the session waits for what moves it already; a hook
// that asks for it meanwhile gets [ErrBusy]. Only for a compaction nobody waits who
// wants to leave: it ends.
//
// # What a session brings with it
//
// The model: the one that the branch names, if [Models] has it, else that of the
// [Settings], with one line said and no entry written; for omp the one of the role
// that was chosen last comes first. The thinking level: the branch's; a branch that
// names none gets that of the settings, clamped to the model, and an entry that
// says so, unless the session can only be read. The mode is entered in the same way
// at the start and in a switch. The todos are the newest on the branch, else those
// kept beside the session. [Queues] are emptied.
//
// A driver that knows service tiers, tools from outside or a working directory says
// so by being [Tiered], a [Toolbox] or [Located]. A session does not choose where the
// agent works: that is [Agent.Dir], and Options.OnDirectory is asked before
// a session of another directory is gone to. A session of omp whose last turn was
// cut off gets the end that omp itself would write.
//
// # Long conversations
//
// [Agent.Due] says, before a turn, that the conversation has become too long for the
// model: then [Agent.Compact] with Threshold prunes old results of tools, and where
// that is not enough has the oldest part summed up. [Agent.Recover] does so when the
// model has refused it. A user asks for it with Compact too, and may give the text.
// The words are written by a [Compactor], a model that the owner gives, which also
// sums up what [Agent.Navigate] leaves behind. What is kept and how it is counted is
// decided in package compact; every dialect has its rules, and its own program goes
// on with what was written.
//
//	fill, due, err := a.Due(ctx)
//	if due {
//		c, err := a.Compact(ctx, agent.CompactOptions{Reason: agent.Threshold})
//		…
//	}
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
// The package calls no model of its own and shows nothing.
package agent
