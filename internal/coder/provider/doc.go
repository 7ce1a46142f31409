// Package provider asks models: one [Provider] for each protocol, with
// an HTTP request ([Post]) and a reader of server-sent events ([Events]).
//
// A provider takes the messages of a session as they are sent to a model, streams
// the answer as [Event] values, and returns it as the message to store. It keeps
// no state between calls, appends nothing and does not retry: the loop does.
package provider
