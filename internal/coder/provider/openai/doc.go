// Package openai asks models over the two protocols of OpenAI: Chat Completions
// ([Chat]), which llama.cpp, Ollama, vLLM and many others serve too, and
// Responses ([Responses]).
//
// The key and the address come with each request; no variable of the environment is
// read. The bodies of requests are written and events are read as raw JSON: what a
// tool's schema, a call's arguments or an item of reasoning say is passed on as it was
// said, in its order, and a stream that ended is told from one that was cut.
//
// Chat Completions. A server is OpenAI's own when its host is of openai.com. It
// is sent the role developer for models that think, max_completion_tokens, store
// and prompt_cache_key; any other is sent the role system and max_tokens, and
// no member that only OpenAI knows. Reasoning is read from the first of the
// members reasoning_content, reasoning and reasoning_text that holds text; the
// member's name is kept as the signature of the thinking block, so that it can
// be sent back in the same place (as pi 0.87.1 does). Tool messages cannot carry
// pictures: those follow in a message of the user.
//
// Responses. Nothing is stored at the provider. An item of reasoning is kept
// whole as the signature of its thinking block, and goes back whole to the model
// that wrote it; to others what it says goes as text. A call's id is "call_id|id"
// of the item, the signature of a text is {"v":1,"id","phase"} (as pi 0.87.1
// writes both).
//
// Arguments of a call are the text that was sent, as provider.Arguments keeps it;
// they are never decoded. A call in the middle of whose arguments the answer
// broke is left out.
package openai
