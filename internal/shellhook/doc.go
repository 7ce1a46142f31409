// Package shellhook runs the commands that a user's settings name for the events
// of package agent. doc/settings.md describes what they are given and may answer.
//
// A command gets the event as one JSON object on its standard input and may
// answer with one on its standard output. It runs in a process group of its own in
// the directory in which the agent works, and its group is killed when it takes too long or says
// too much. Whatever it does wrong is reported through [agent.Hooks] and passed
// over.
package shellhook
