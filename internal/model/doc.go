// Package model says which models there are: who provides them, over which
// protocol they are asked, how much they take and what they cost.
//
// It calls none. A [Registry] is made of a built-in table and of what the user's
// settings add or change; it answers [agent.Models], so that a switch knows which
// models can be used. Keys come from the environment alone and are never stored.
//
// # Where the figures come from
//
// The ids of the built-in table are those of the vendors' libraries
// (anthropic-sdk-go 1.84.0, openai-go 3.96.0). Windows, prices and levels are
// those of the vendors' pages on models and prices as of November 2026, of others
// who copied them where a page was not at hand (what Haiku 5.5 and Sonnet 5.5 ask
// for reading their cache, gpt-6.1-sol), and for older models those that pi 0.87.1
// knows. What is not known is 0.
//
// A window is what a request has room in. The providers of gpt-5 and later take
// no more than 272,000 tokens at once, or charge twice as much for all of a longer
// request, so that is their window here, as in pi; the settings can say otherwise.
package model
