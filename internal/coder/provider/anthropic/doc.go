// Package anthropic asks models over Anthropic Messages.
//
// Bodies are built and events are read as raw JSON: what a model sent as
// arguments comes back byte for byte, large numbers and the order of members
// included.
//
// The system prompt, the tools and the last message of the user's side are marked
// for the cache, for five minutes. Reasoning is asked for with a budget of
// tokens, or adaptively with an effort for models that want a word. What a
// provider's own tools did (server_tool_use and its result) is recorded and not
// sent again, for no such tool is ever offered. [provider.Request.SessionID] has
// no place in this protocol.
package anthropic
