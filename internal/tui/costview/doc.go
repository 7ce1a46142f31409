// Package costview is the screen of what sessions cost: the days of a span as bars, and a table
// by day, model, project, agent or another group, each of which opens into the next, down to
// single charges.
//
// A Model knows nothing of sessions: whoever runs it answers what it asks.
package costview
