// Package model says which models there are: who provides them, over which
// protocol they are asked, how much they take and what they cost.
//
// It calls none. A [Registry] is made of a built-in table and of what the user's
// settings add or change; it answers [agent.Models], so that a switch knows which
// models can be used. Keys come from the environment alone and are never stored.
package model
