package rpc

// shapes are the values that methods answer with and that have names.
func shapes() []shape {
	count, money := isNumber, isNumber
	return append([]shape{
		{"Initialized", closed(
			with("protocolVersion", isText, "that of the methods: another first number means that something went away"),
			with("server", closed(
				with("name", isText, "`cambium`"),
				without("version", isText, "where the build has none", "that of the program"),
			), "the program"),
			with("capabilities", closed(
				with("methods", listOf(isText), "what can be called, by the client that asks"),
				with("events", listOf(isText), "the kinds of `session.event`"),
				with("agents", listOf(isText), "whose sessions are known"),
				with("readOnly", isFlag, "whether nothing can be written"),
				with("shared", isFlag, "whether the sessions are in a store that machines share"),
				with("history", isFlag, "whether prompts are kept"),
				with("cancel", isFlag, "whether calls can be cancelled"),
				with("progress", isFlag, "whether long calls tell how far they are"),
				with("batch", isFlag, "whether several messages may come in one line"),
			), "what it can do"),
		), "What the server is and can do."},
		{"Error", closed(
			with("code", isInteger, "as in the table of errors"), with("message", isText, "for people"),
			without("data", is("object"), "where there is no more to say", "the rest"),
		), "An error."},
		{"AwayStore", closed(
			with("store", isText, "what it is called, without a password"), with("error", isText, "why it cannot be reached"),
			with("kept", isInteger, "of how many sessions and other logs copies are kept here"),
		), "A store that does not answer."},
		{"Handle", closed(with("handle", isText, "names the open session in further calls")), "What opening answers."},
		{"Entry", loose(
			without("type", isText, "in a damaged entry", "the kind of entry"),
			without("id", isText, "where the file has none", "its id"),
			without("parentId", isText.orNil(), "where the file has none", "the entry that it follows, null for a root"),
			without("timestamp", isText, "where the file has none", "when it was written"),
		), "An entry, byte for byte as it is stored, with what was left out of it put back."},
		{"Header", loose(
			with("type", oneOf("session"), ""),
			without("version", isValue, "in version 1", "the version of the format"),
			with("id", isText, "the id of the session"),
			without("timestamp", isText, "where the file has none", "when it was begun"),
			without("cwd", isText, "where the file has none", "its working directory"),
			without("title", isText, "without a name, and where names are entries (pi)", "its name"),
			without("titleSource", isText, "where it is not recorded", "who gave it: `user` or `auto`"),
			without("parentSession", isText, "where it comes from no other", "the session it comes from"),
			without("additionalDirectories", listOf(isText), "where there are none", "further directories of its workspace (omp)"),
			without("previousSessionFiles", listOf(isText), "where it was never moved", "where its file was before (omp)"),
			without("providerPromptCacheKey", isText, "where there is none", "what a fork inherits (omp)"),
		), "The first line of a session."},
		{"Message", loose(with("role", isText, "who says it")), "A message, as it is stored."},
		{"Usage", closed(
			with("input", count, "tokens"), with("output", count, "tokens"),
			with("cacheRead", count, "tokens"), with("cacheWrite", count, "tokens"),
			without("totalTokens", count, "but in sessions of omp", "tokens"),
			without("orchestrationInput", count, "but in sessions of omp", "tokens"),
			without("orchestrationOutput", count, "but in sessions of omp", "tokens"),
			without("orchestrationCacheRead", count, "but in sessions of omp", "tokens"),
			with("premiumRequests", count, "requests that are billed by themselves"),
			with("cost", money, "US dollars"),
		), "What was spent."},
		{"SessionInfo", closed(
			with("path", isText, "its file"), with("id", isText, "its id"),
			with("agent", oneOf("cambium", "pi", "omp", "xcsh"), "whose rules it follows"),
			with("cwd", isText, "its working directory, empty where the header has none"),
			without("title", isText, "without a name", "its name"),
			with("created", isDate.orNil(), "when it was begun, null where the header does not say"),
			with("modified", isDate.orNil(), "when something was last said"),
			with("messageCount", isInteger, "its messages"),
			with("firstMessage", isText, "the first prompt"),
			without("allMessagesText", isText, "but in `list` and `listAll`", "all that was said"),
			with("size", isInteger, "bytes"),
			with("status", oneOf("complete", "interrupted", "aborted", "error", "pending", "unknown"), "how the conversation stands"),
			without("parentSession", isText, "where it comes from no other", "the session it comes from"),
			without("usage", named("Usage"), "where nothing was spent, or it was not read", "what it spent"),
			without("damaged", isFlag, "unless something is wrong with it", "true"),
		), "A session in a list."},
		{"RecentSession", closed(
			with("path", isText, "its file"), with("id", isText, "its id"),
			with("name", isText, "title, first prompt, id or file name"),
			with("timeAgo", isText, "how long ago its file changed, in words"),
			with("mtime", isDate.orNil(), "when its file changed"),
		), "A session in a short list."},
		{"Prompt", closed(
			with("prompt", isText, "what was typed"), with("createdAt", isDate.orNil(), "when"),
			with("cwd", isText, "where, empty where that is not known"), with("agent", isText, "whose history it is in"),
			without("sessionId", isText, "where it is not known", "the session that it went to"),
		), "A prompt of the histories."},
		{"TreeNode", closed(
			with("entry", named("Entry"), ""),
			without("label", isText, "without a label", "its label"),
			without("labelTimestamp", isText, "without a label, and but in sessions of pi", "when the label was given"),
			without("children", listOf(named("TreeNode")), "with `flat`", "what follows it, oldest first"),
			without("depth", isInteger, "without `flat`", "how many entries are above it"),
		), "An entry and what follows it."},
		{"Model", closed(with("provider", isText, ""), with("modelId", isText, "")), "A model of a provider."},
		{"Cleaned", closed(
			with("surrogates", isInteger, "lone surrogates that became U+FFFD"),
			with("names", isInteger, "names of tools that lost control characters"),
			with("blobs", isInteger, "references that became a line of text"),
			with("clipped", isInteger, "results of tools that were cut"),
		), "What was changed so that a provider takes it."},
		{"Context", closed(
			with("messages", listOf(named("Message")), "what the model sees; of a transcript, with `strippedToolCalls` where calls without a result were taken out"),
			with("thinkingLevel", isText, "the level in effect"),
			with("model", named("Model").orNil(), "the model in effect, null where nothing names one"),
			with("models", mapOf(isText), "models by role, as `provider/id`; empty in sessions of pi"),
			with("injectedTtsrRules", listOf(isText), "rules that were injected"),
			with("mode", isText, "the mode, `none` for no special one"),
			with("modeData", isValue, "what belongs to the mode, null for nothing"),
			without("configuredThinkingLevel", isText, "where none was chosen, and but in sessions of omp", "what was chosen, `auto` among it"),
			without("serviceTier", isValue, "where none is set", "the service tier"),
			without("selectedMCPToolNames", listOf(isText), "where none were chosen, and but in sessions of xcsh", "tools that were chosen"),
			without("hasPersistedMCPToolSelection", isFlag, "with `selectedMCPToolNames`", "true"),
			without("cleaned", named("Cleaned"), "without `llm`", "what was cleaned"),
			without("cacheMissExplainedAt", listOf(isFlag), "without `transcript`", "of each message, whether something before it explains that a cache did not help"),
			without("from", isInteger, "without `since`", "how many messages before the first here are as they were"),
			without("mark", isText, "without `since`", "what to give as `since` the next time"),
		), "What the model sees at the end of a branch, and the state that goes with it."},
		{"State", closed(
			without("path", isText, "in memory", "the file of the session"),
			with("sessionId", isText, "its id"), with("leafId", isText.orNil(), "the leaf, null for none"),
			with("entries", isInteger, "how many entries it had"),
		), "Where a session was."},
		{"Artifact", closed(
			with("id", isText, "its number"), with("path", isText, "its file"), with("size", isInteger, "bytes"),
		), "A file kept beside a session."},
		{"NewArtifact", closed(with("id", isText, "its number"), with("path", isText, "its file, which is empty")), "A new artifact."},
		{"Hit", closed(
			with("path", isText, "the session's file"), with("sessionId", isText, "its id"),
			without("entryId", isText, "of a session's title, and where the file has none", "the entry"),
			with("agent", isText, "whose session it is"), with("cwd", isText, "its working directory, empty where the header has none"),
			without("title", isText, "without a name", "its name"),
			with("role", isText, "who said it, `title` for a name"),
			without("tool", isText, "where there is none", "the tool that is called or answers"),
			without("model", isText, "where there is none", "the model that answered"),
			without("timestamp", isDate, "where it has none", "when"),
			with("snippet", isText, "text around what was found"),
			with("ranges", listOf(listOf(isInteger)), "where in it that stands: beginnings and ends, in UTF-16 units"),
			with("onBranch", oneOf("active", "other", "compacted"), "where in its session it stands"),
			with("score", isNumber, "that of its session"),
			without("more", isInteger, "but at the last hit of a session of which not all are told", "how many more there are"),
		), "An entry that a search found."},
		{"Peeked", closed(
			with("cwd", isText, "the working directory"), with("init", is("object", "null"), "the members of the last `session_init`, null for none"),
		), "How a subagent was started."},
		{"Operation", closed(
			with("undoId", isText, "what takes it back"), with("op", isText, "what was done"),
			with("path", isText, "where the session is, or was"), with("at", isDate.orNil(), "when"),
			without("note", isText, "where there is no more to say", "what else there is to say"),
		), "Something that was done to a session."},
		{"Draft", closed(
			with("id", isText, "the session's id"), with("file", isText, "where it is kept"),
			without("path", isText, "where its header cannot be read", "where it is to be written"),
			without("agent", isText, "where its header cannot be read", "whose session it is"),
			with("updatedAt", isDate.orNil(), "when it was last written to"),
			with("busy", isFlag, "whether another process has it open"), with("saved", isFlag, "whether its session is there"),
		), "A session that has no file yet."},
		{"Finding", closed(
			with("path", isText, "the file"), with("kind", isText, "what it is"),
			without("line", isInteger, "for the file as a whole", "where, from 1"),
			without("byte", isInteger, "for the file as a whole", "where"),
			with("detail", isText, "what is wrong"), with("plan", isText, "what a repair does about it"),
			without("note", isFlag, "unless nothing is wrong", "true"),
			with("fixable", isFlag, "whether a repair does something"), with("fixed", isFlag, "whether it was repaired"),
			without("undoId", isText, "unless it was repaired", "what takes the repair back"),
		), "Something that is wrong, or worth knowing."},
		{"Converted", closed(
			with("id", isText, "the new session"), with("path", isText, "its file"),
			without("parentSession", isText, "with `keepId`, of a session without one", "the session it comes from"),
			with("report", is("object"), "what had no equal there"),
		), "A session that was written in another agent's form."},
		{"Forked", closed(
			with("oldSessionFile", isText, "the file that was copied"), with("newSessionFile", isText, "the copy"),
		), "What a fork answers."},
	}, usageShapes()...)
}

// beside is what an answer may have beside its result.
func beside() schema {
	return closed(without("away", listOf(named("AwayStore")), "where the store answered, and where sessions are files", "what was answered by what is kept here"))
}

// events are the notifications of the server and what is in them.
func events() []shape {
	return []shape{
		{"session.event", closed(
			with("handle", isText, "the open session"),
			with("kind", oneOf("appended", "replaced", "restored", "unsaved", "busy", "gone", "moved", "renamed", "tips"), "what happened"),
			without("ids", listOf(isText), "but of `appended` and `tips`", "the entries it is about"),
			without("entries", listOf(named("Entry")), "but of `appended`, of a handle of `follow`", "the entries"),
			without("foreign", isFlag, "of `tips`", "whether somebody else did it"),
			without("error", named("Error"), "but of `unsaved`", "why"),
			without("text", isText, "where there is no more to say", "the rest in words; of `moved` the new path"),
			without("title", isText, "but of `renamed`", "the new name, empty for none"),
		), "Something happened to an open session."},
		{"$/progress", closed(
			with("id", is("string", "number", "null"), "of the call"),
			with("done", isInteger, "files read"), with("total", isInteger, "files to read"),
		), "How far a call is."},
	}
}
