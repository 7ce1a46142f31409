// Written by generate.mjs from the OpenRPC document; not to be edited.
// sha256 of the document: 700ced41b9ed4ef4f4552d2b950221725549ac9b9ad21766de01ef64e13f7834

/** What the server is and can do. */
export type Initialized = {
	/** that of the methods: another first number means that something went away */
	protocolVersion: string;
	/** the program */
	server: {
		/** `cambium` */
		name: string;
		/** that of the program. Absent where the build has none */
		version?: string;
	};
	/** what it can do */
	capabilities: {
		/** what can be called, by the client that asks */
		methods: Array<string>;
		/** the kinds of `session.event` */
		events: Array<string>;
		/** whose sessions are known */
		agents: Array<string>;
		/** whether nothing can be written */
		readOnly: boolean;
		/** whether the sessions are in a store that machines share */
		shared: boolean;
		/** whether prompts are kept */
		history: boolean;
		/** whether calls can be cancelled */
		cancel: boolean;
		/** whether long calls tell how far they are */
		progress: boolean;
		/** whether several messages may come in one line */
		batch: boolean;
	};
};

/** An error. */
export type Error = {
	/** as in the table of errors */
	code: number;
	/** for people */
	message: string;
	/** the rest. Absent where there is no more to say */
	data?: Record<string, unknown>;
};

/** A store that does not answer. */
export type AwayStore = {
	/** what it is called, without a password */
	store: string;
	/** why it cannot be reached */
	error: string;
	/** of how many sessions and other logs copies are kept here */
	kept: number;
};

/** What opening answers. */
export type Handle = {
	/** names the open session in further calls */
	handle: string;
};

/** An entry, byte for byte as it is stored, with what was left out of it put back. */
export type Entry = {
	/** the kind of entry. Absent in a damaged entry */
	type?: string;
	/** its id. Absent where the file has none */
	id?: string;
	/** the entry that it follows, null for a root. Absent where the file has none */
	parentId?: string | null;
	/** when it was written. Absent where the file has none */
	timestamp?: string;
	[more: string]: unknown;
};

/** The first line of a session. */
export type Header = {
	type: "session";
	/** the version of the format. Absent in version 1 */
	version?: unknown;
	/** the id of the session */
	id: string;
	/** when it was begun. Absent where the file has none */
	timestamp?: string;
	/** its working directory. Absent where the file has none */
	cwd?: string;
	/** its name. Absent without a name, and where names are entries (pi) */
	title?: string;
	/** who gave it: `user` or `auto`. Absent where it is not recorded */
	titleSource?: string;
	/** the session it comes from. Absent where it comes from no other */
	parentSession?: string;
	/** further directories of its workspace (omp). Absent where there are none */
	additionalDirectories?: Array<string>;
	/** where its file was before (omp). Absent where it was never moved */
	previousSessionFiles?: Array<string>;
	/** what a fork inherits (omp). Absent where there is none */
	providerPromptCacheKey?: string;
	[more: string]: unknown;
};

/** A message, as it is stored. */
export type Message = {
	/** who says it */
	role: string;
	[more: string]: unknown;
};

/** What was spent. */
export type Usage = {
	/** tokens */
	input: number;
	/** tokens */
	output: number;
	/** tokens */
	cacheRead: number;
	/** tokens */
	cacheWrite: number;
	/** tokens. Absent but in sessions of omp */
	totalTokens?: number;
	/** tokens. Absent but in sessions of omp */
	orchestrationInput?: number;
	/** tokens. Absent but in sessions of omp */
	orchestrationOutput?: number;
	/** tokens. Absent but in sessions of omp */
	orchestrationCacheRead?: number;
	/** requests that are billed by themselves */
	premiumRequests: number;
	/** US dollars */
	cost: number;
};

/** A session in a list. */
export type SessionInfo = {
	/** its file */
	path: string;
	/** its id */
	id: string;
	/** whose rules it follows */
	agent: "cambium" | "pi" | "omp" | "xcsh";
	/** its working directory, empty where the header has none */
	cwd: string;
	/** its name. Absent without a name */
	title?: string;
	/** when it was begun, null where the header does not say */
	created: string | null;
	/** when something was last said */
	modified: string | null;
	/** its messages */
	messageCount: number;
	/** the first prompt */
	firstMessage: string;
	/** all that was said. Absent but in `list` and `listAll` */
	allMessagesText?: string;
	/** bytes */
	size: number;
	/** how the conversation stands */
	status: "complete" | "interrupted" | "aborted" | "error" | "pending" | "unknown";
	/** the session it comes from. Absent where it comes from no other */
	parentSession?: string;
	/** what it spent. Absent where nothing was spent, or it was not read */
	usage?: Usage;
	/** true. Absent unless something is wrong with it */
	damaged?: boolean;
};

/** A session in a short list. */
export type RecentSession = {
	/** its file */
	path: string;
	/** its id */
	id: string;
	/** title, first prompt, id or file name */
	name: string;
	/** how long ago its file changed, in words */
	timeAgo: string;
	/** when its file changed */
	mtime: string | null;
};

/** A prompt of the histories. */
export type Prompt = {
	/** what was typed */
	prompt: string;
	/** when */
	createdAt: string | null;
	/** where, empty where that is not known */
	cwd: string;
	/** whose history it is in */
	agent: string;
	/** the session that it went to. Absent where it is not known */
	sessionId?: string;
};

/** An entry and what follows it. */
export type TreeNode = {
	entry: Entry;
	/** its label. Absent without a label */
	label?: string;
	/** when the label was given. Absent without a label, and but in sessions of pi */
	labelTimestamp?: string;
	/** what follows it, oldest first. Absent with `flat` */
	children?: Array<TreeNode>;
	/** how many entries are above it. Absent without `flat` */
	depth?: number;
};

/** A model of a provider. */
export type Model = {
	provider: string;
	modelId: string;
};

/** What was changed so that a provider takes it. */
export type Cleaned = {
	/** lone surrogates that became U+FFFD */
	surrogates: number;
	/** names of tools that lost control characters */
	names: number;
	/** references that became a line of text */
	blobs: number;
	/** results of tools that were cut */
	clipped: number;
};

/** What the model sees at the end of a branch, and the state that goes with it. */
export type Context = {
	/** what the model sees; of a transcript, with `strippedToolCalls` where calls without a result were taken out */
	messages: Array<Message>;
	/** the level in effect */
	thinkingLevel: string;
	/** the model in effect, null where nothing names one */
	model: Model | null;
	/** models by role, as `provider/id`; empty in sessions of pi */
	models: Record<string, string>;
	/** rules that were injected */
	injectedTtsrRules: Array<string>;
	/** the mode, `none` for no special one */
	mode: string;
	/** what belongs to the mode, null for nothing */
	modeData: unknown;
	/** what was chosen, `auto` among it. Absent where none was chosen, and but in sessions of omp */
	configuredThinkingLevel?: string;
	/** the service tier. Absent where none is set */
	serviceTier?: unknown;
	/** tools that were chosen. Absent where none were chosen, and but in sessions of xcsh */
	selectedMCPToolNames?: Array<string>;
	/** true. Absent with `selectedMCPToolNames` */
	hasPersistedMCPToolSelection?: boolean;
	/** what was cleaned. Absent without `llm` */
	cleaned?: Cleaned;
	/** of each message, whether something before it explains that a cache did not help. Absent without `transcript` */
	cacheMissExplainedAt?: Array<boolean>;
	/** how many messages before the first here are as they were. Absent without `since` */
	from?: number;
	/** what to give as `since` the next time. Absent without `since` */
	mark?: string;
};

/** Where a session was. */
export type State = {
	/** the file of the session. Absent in memory */
	path?: string;
	/** its id */
	sessionId: string;
	/** the leaf, null for none */
	leafId: string | null;
	/** how many entries it had */
	entries: number;
};

/** A file kept beside a session. */
export type Artifact = {
	/** its number */
	id: string;
	/** its file */
	path: string;
	/** bytes */
	size: number;
};

/** A new artifact. */
export type NewArtifact = {
	/** its number */
	id: string;
	/** its file, which is empty */
	path: string;
};

/** An entry that a search found. */
export type Hit = {
	/** the session's file */
	path: string;
	/** its id */
	sessionId: string;
	/** the entry. Absent of a session's title, and where the file has none */
	entryId?: string;
	/** whose session it is */
	agent: string;
	/** its working directory, empty where the header has none */
	cwd: string;
	/** its name. Absent without a name */
	title?: string;
	/** who said it, `title` for a name */
	role: string;
	/** the tool that is called or answers. Absent where there is none */
	tool?: string;
	/** the model that answered. Absent where there is none */
	model?: string;
	/** when. Absent where it has none */
	timestamp?: string;
	/** text around what was found */
	snippet: string;
	/** where in it that stands: beginnings and ends, in UTF-16 units */
	ranges: Array<Array<number>>;
	/** where in its session it stands */
	onBranch: "active" | "other" | "compacted";
	/** that of its session */
	score: number;
	/** how many more there are. Absent but at the last hit of a session of which not all are told */
	more?: number;
};

/** How a subagent was started. */
export type Peeked = {
	/** the working directory */
	cwd: string;
	/** the members of the last `session_init`, null for none */
	init: Record<string, unknown> | null;
};

/** Something that was done to a session. */
export type Operation = {
	/** what takes it back */
	undoId: string;
	/** what was done */
	op: string;
	/** where the session is, or was */
	path: string;
	/** when */
	at: string | null;
	/** what else there is to say. Absent where there is no more to say */
	note?: string;
};

/** A session that has no file yet. */
export type Draft = {
	/** the session's id */
	id: string;
	/** where it is kept */
	file: string;
	/** where it is to be written. Absent where its header cannot be read */
	path?: string;
	/** whose session it is. Absent where its header cannot be read */
	agent?: string;
	/** when it was last written to */
	updatedAt: string | null;
	/** whether another process has it open */
	busy: boolean;
	/** whether its session is there */
	saved: boolean;
};

/** Something that is wrong, or worth knowing. */
export type Finding = {
	/** the file */
	path: string;
	/** what it is */
	kind: string;
	/** where, from 1. Absent for the file as a whole */
	line?: number;
	/** where. Absent for the file as a whole */
	byte?: number;
	/** what is wrong */
	detail: string;
	/** what a repair does about it */
	plan: string;
	/** true. Absent unless nothing is wrong */
	note?: boolean;
	/** whether a repair does something */
	fixable: boolean;
	/** whether it was repaired */
	fixed: boolean;
	/** what takes the repair back. Absent unless it was repaired */
	undoId?: string;
};

/** A session that was written in another agent's form. */
export type Converted = {
	/** the new session */
	id: string;
	/** its file */
	path: string;
	/** the session it comes from. Absent with `keepId`, of a session without one */
	parentSession?: string;
	/** what had no equal there */
	report: Record<string, unknown>;
};

/** What a fork answers. */
export type Forked = {
	/** the file that was copied */
	oldSessionFile: string;
	/** the copy */
	newSessionFile: string;
};

/** What the calls of a group took and cost. */
export type UsageRow = {
	/** the group, by the names that were asked for */
	group: Record<string, string>;
	/** calls of models */
	calls: number;
	/** those of them that are answers in the conversation */
	answers: number;
	/** tokens */
	input: number;
	/** tokens */
	output: number;
	/** tokens */
	cacheRead: number;
	/** tokens */
	cacheWrite: number;
	/** the part of cacheWrite that is kept for an hour */
	cacheWriteLong: number;
	/** the part of output that was reasoning */
	reasoning: number;
	/** US dollars, exact to the sixth digit: the sum of the next three */
	cost: number;
	/** what the agents stored */
	stored: number;
	/** what providers said */
	billed: number;
	/** what was computed from a table of prices, because nothing is stored */
	priced: number;
	/** what the cache saved, by the table of prices */
	cacheSaved: number;
	/** calls whose cost nobody knows */
	unknownCalls: number;
	/** runs of tools */
	toolRuns: number;
	/** those of them that failed */
	toolFailures: number;
	/** how long the runs were that say so */
	toolMs: number;
};

/** What calls took and cost. */
export type UsageSum = {
	/** calls of models */
	calls: number;
	/** those of them that are answers in the conversation */
	answers: number;
	/** tokens */
	input: number;
	/** tokens */
	output: number;
	/** tokens */
	cacheRead: number;
	/** tokens */
	cacheWrite: number;
	/** the part of cacheWrite that is kept for an hour */
	cacheWriteLong: number;
	/** the part of output that was reasoning */
	reasoning: number;
	/** US dollars, exact to the sixth digit: the sum of the next three */
	cost: number;
	/** what the agents stored */
	stored: number;
	/** what providers said */
	billed: number;
	/** what was computed from a table of prices, because nothing is stored */
	priced: number;
	/** what the cache saved, by the table of prices */
	cacheSaved: number;
	/** calls whose cost nobody knows */
	unknownCalls: number;
	/** runs of tools */
	toolRuns: number;
	/** those of them that failed */
	toolFailures: number;
	/** how long the runs were that say so */
	toolMs: number;
};

/** What calls took and cost, by groups. */
export type UsageSums = {
	/** the groups, in order */
	rows: Array<UsageRow>;
	/** their sum */
	total: UsageSum;
	/** sessions that cannot be read, and are left out */
	unreadSessions: number;
};

/** The data of the error Parse: not JSON. */
export type ParseData = {
	/** where. Absent where it is not known */
	byte?: number;
};

/** The data of the error Method: no such method. */
export type MethodData = {
	/** its name */
	method: string;
};

/** The data of the error Params: a parameter is missing, unknown or wrong. */
export type ParamsData = {
	/** which. Absent where it is not one alone */
	parameter?: string;
};

/** The data of the error NotFound: no such session or entry. */
export type NotFoundData = {
	/** the entry. Absent where it is a session */
	id?: string;
};

/** The data of the error Ambiguous: several sessions match. */
export type AmbiguousData = {
	/** which */
	candidates: Array<SessionInfo>;
};

/** The data of the error Unsaved: not saved: the entries wait. */
export type UnsavedData = {
	/** how many wait */
	queued: number;
	/** the new entry, which is there in memory. Absent unless the call made one */
	id?: string;
};

/** The data of the error Handle: no session is open under this handle. */
export type HandleData = {
	/** the handle. Absent when the session was closed meanwhile */
	handle?: string;
};

/** The data of the error Forbidden: not allowed (`cambium serve`). */
export type ForbiddenData = {
	/** what is missing. Absent unless the token is one to read */
	scope?: string;
};

/** The data of the error Away: the store does not answer, and what was asked for is not kept here. */
export type AwayData = {
	/** the store */
	away: Array<AwayStore>;
};

/** Every method: what it takes and what it answers. */
export interface Methods {
	/** Says what the server is and can do; it may be called first, or not at all. */
	"initialize": {
		params: {
			/** what the client says of itself, for the log */
			clientInfo?: Record<string, unknown> | null;
			/** false tells nothing of what the client's own calls did */
			ownEvents?: boolean | null;
		};
		result: Initialized;
	};
	/** Answers the description of all methods, an OpenRPC document. */
	"rpc.discover": {
		params: {
		};
		result: {
			openrpc: string;
			methods: Array<Record<string, unknown>>;
			[more: string]: unknown;
		};
	};
	/** Begins a session of a working directory. */
	"create": {
		params: {
			/** a working directory, absolute */
			cwd: string;
			/** the directory for session files, absolute; without it that of the agent */
			sessionDir?: string | null;
			/** the directory of the agent, absolute; without it the usual one */
			agentDir?: string | null;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | "claude" | "codex" | "opencode" | "crush" | null;
			/** an id; of a session: letters, digits, - _ . and a letter or digit at both ends */
			id?: string | null;
			/** the session it comes from, written as it is given */
			parentSession?: string | null;
			/** what a new session is first written with: an answer, a user's message, or nothing */
			firstWrite?: "assistant" | "user" | "immediately" | null;
			/** does not note the session as the last one of the terminal */
			suppressBreadcrumb?: boolean | null;
			/** false tells nothing of what the client's own calls did */
			ownEvents?: boolean | null;
		};
		result: Handle;
	};
	/** Opens a session. */
	"open": {
		params: {
			/** a session: an absolute path, an id, the beginning of one, or a name */
			path: string;
			/** the directory for session files, absolute; without it that of the agent */
			sessionDir?: string | null;
			/** the directory of the agent, absolute; without it the usual one */
			agentDir?: string | null;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | "claude" | "codex" | "opencode" | "crush" | null;
			/** makes a new session of a file that is none */
			reinitialize?: boolean | null;
			/** changes nothing, ever */
			readOnly?: boolean | null;
			/** a working directory, absolute */
			cwd?: string | null;
			/** the session it comes from, written as it is given */
			parentSession?: string | null;
			/** is an error when there is no such file; without it a session is begun there */
			throwIfMissing?: boolean | null;
			/** does not note the session as the last one of the terminal */
			suppressBreadcrumb?: boolean | null;
			/** false tells nothing of what the client's own calls did */
			ownEvents?: boolean | null;
		};
		result: Handle;
	};
	/** Opens the session that this terminal last used in a directory, else the newest of it, else a new one. */
	"continueRecent": {
		params: {
			/** a working directory, absolute */
			cwd: string;
			/** the directory for session files, absolute; without it that of the agent */
			sessionDir?: string | null;
			/** the directory of the agent, absolute; without it the usual one */
			agentDir?: string | null;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | "claude" | "codex" | "opencode" | "crush" | null;
			/** what a new session is first written with: an answer, a user's message, or nothing */
			firstWrite?: "assistant" | "user" | "immediately" | null;
			/** does not note the session as the last one of the terminal */
			suppressBreadcrumb?: boolean | null;
			/** false tells nothing of what the client's own calls did */
			ownEvents?: boolean | null;
		};
		result: Handle;
	};
	/** Begins a session that is kept nowhere. */
	"inMemory": {
		params: {
			/** a working directory, absolute */
			cwd?: string | null;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | "claude" | "codex" | "opencode" | "crush" | null;
			/** an id; of a session: letters, digits, - _ . and a letter or digit at both ends */
			id?: string | null;
			/** the session it comes from, written as it is given */
			parentSession?: string | null;
			/** entries, whole */
			entries?: Array<Record<string, unknown>> | null;
			/** false tells nothing of what the client's own calls did */
			ownEvents?: boolean | null;
		};
		result: Handle;
	};
	/** Opens a session to see what others do to it: events of appended entries have the entries. */
	"follow": {
		params: {
			/** a session: an absolute path, an id, the beginning of one, or a name */
			path: string;
			/** the directory for session files, absolute; without it that of the agent */
			sessionDir?: string | null;
			/** the directory of the agent, absolute; without it the usual one */
			agentDir?: string | null;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | "claude" | "codex" | "opencode" | "crush" | null;
			/** does not note the session as the last one of the terminal */
			suppressBreadcrumb?: boolean | null;
			/** false tells nothing of what the client's own calls did */
			ownEvents?: boolean | null;
		};
		result: Handle;
	};
	/** Copies a session into another working directory and opens the copy. */
	"forkFrom": {
		params: {
			/** the session to copy: an absolute path, an id, the beginning of one, or a name */
			sourcePath: string;
			/** the working directory of the copy, absolute */
			targetCwd: string;
			/** the directory for session files, absolute; without it that of the agent */
			sessionDir?: string | null;
			/** the directory of the agent, absolute; without it the usual one */
			agentDir?: string | null;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | "claude" | "codex" | "opencode" | "crush" | null;
			/** an id; of a session: letters, digits, - _ . and a letter or digit at both ends */
			id?: string | null;
			/** false leaves the artifacts behind */
			copyArtifacts?: boolean | null;
			/** does not note the session as the last one of the terminal */
			suppressBreadcrumb?: boolean | null;
			/** false tells nothing of what the client's own calls did */
			ownEvents?: boolean | null;
		};
		result: Handle;
	};
	/** The sessions of a working directory, newest first. */
	"list": {
		params: {
			/** a working directory, absolute */
			cwd: string;
			/** the directory for session files, absolute; without it that of the agent */
			sessionDir?: string | null;
			/** the directory of the agent, absolute; without it the usual one */
			agentDir?: string | null;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | "claude" | "codex" | "opencode" | "crush" | null;
		};
		result: Array<SessionInfo>;
	};
	/** The sessions of all working directories, newest first. */
	"listAll": {
		params: {
			/** the directory for session files, absolute; without it that of the agent */
			sessionDir?: string | null;
			/** the directory of the agent, absolute; without it the usual one */
			agentDir?: string | null;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | "claude" | "codex" | "opencode" | "crush" | null;
		};
		result: Array<SessionInfo>;
	};
	/** The sessions of a directory whose files changed last. */
	"getRecentSessions": {
		params: {
			/** the directory for session files, absolute; without it that of the agent */
			sessionDir: string;
			/** how many at most */
			limit?: number | null;
		};
		result: Array<RecentSession>;
	};
	/** The path of the session whose file changed last. */
	"findMostRecentSession": {
		params: {
			/** the directory for session files, absolute; without it that of the agent */
			sessionDir: string;
			/** a working directory, absolute */
			cwd?: string | null;
		};
		result: string | null;
	};
	/** Keeps a prompt that was typed just now. */
	"history.add": {
		params: {
			/** what was typed */
			prompt: string;
			/** a working directory, absolute */
			cwd?: string | null;
			/** the session that it went to */
			sessionId?: string | null;
		};
		result: null;
	};
	/** The newest prompts of all histories. */
	"history.recent": {
		params: {
			/** how many at most */
			limit?: number | null;
		};
		result: Array<Prompt>;
	};
	/** The prompts that match, newest first. */
	"history.search": {
		params: {
			/** what to look for */
			query: string;
			/** how many at most */
			limit?: number | null;
		};
		result: Array<Prompt>;
	};
	/** Appends any entry. */
	"append": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** an entry without id, parentId and timestamp */
			body: Record<string, unknown>;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Appends a message. */
	"appendMessage": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** a message with its role */
			message: Record<string, unknown>;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Records a thinking level. */
	"appendThinkingLevelChange": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** a level, or null for none */
			thinkingLevel: string | null;
			/** what was chosen, `auto` among it (omp) */
			configured?: string | null;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Records a model. */
	"appendModelChange": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** the provider of a model */
			provider?: string | null;
			/** the model, without its provider */
			modelId?: string | null;
			/** a model, as provider/id; where calls are counted, a part of that */
			model?: string | null;
			/** what the model is for; without it the default */
			role?: string | null;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Appends a compaction. */
	"appendCompaction": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** the text that stands for what is left out */
			summary: string;
			/** the first entry that stays in the context, null for none */
			firstKeptEntryId: string | null;
			/** the size of the context before */
			tokensBefore: number;
			/** a line of it, for lists */
			shortSummary?: string | null;
			/** free data */
			details?: unknown;
			/** whether an extension made it */
			fromExtension?: boolean | null;
			/** the same as fromExtension */
			fromHook?: boolean | null;
			/** free data that outlives the compaction */
			preserveData?: unknown;
			/** the size of the context afterwards (omp) */
			tokensAfter?: number | null;
			/** how it was compacted (omp) */
			method?: string | null;
			/** the last entry that the provider's own history covers (omp) */
			providerReplayThroughEntryId?: string | null;
			/** what the summary cost (pi) */
			usage?: Record<string, unknown> | null;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Appends state of an extension, which never reaches the model. */
	"appendCustomEntry": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** the name that the extension gives its entries */
			customType: string;
			/** free data */
			data?: unknown;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Appends an extension's message, which reaches the model. */
	"appendCustomMessageEntry": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** the name that the extension gives its entries */
			customType: string;
			/** a text, or blocks */
			content: string | unknown[];
			/** whether people are shown it */
			display: boolean;
			/** free data */
			details?: unknown;
			/** who spoke */
			attribution?: "user" | "agent" | null;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Appends pi's entry for a name. */
	"appendSessionInfo": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** the name */
			name: string;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Labels an entry, or takes its label off. */
	"appendLabelChange": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** the entry that is labelled */
			targetId: string;
			/** the label; without it, and empty, it is taken off */
			label?: string | null;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Records a mode. */
	"appendModeChange": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** a mode, or none */
			mode: string;
			/** free data */
			data?: unknown;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Records rules that were injected. */
	"appendTtsrInjection": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** the names of the rules */
			injectedRules: Array<string>;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Records a service tier. */
	"appendServiceTierChange": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** a tier, as the agent writes it, or null for none */
			serviceTier: unknown;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Changes what the model sees of an earlier entry. */
	"appendContextEdit": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** the entry that is labelled */
			targetId: string;
			/** null, which takes the entry out, or an object with content */
			replacement: unknown;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Records what was spent beside the conversation (pi). */
	"appendUsage": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** what it was spent on */
			kind: string;
			/** the provider of a model */
			provider: string;
			/** a model, as provider/id; where calls are counted, a part of that */
			model: string;
			/** what the summary cost (pi) */
			usage: Record<string, unknown>;
			/** what else there is to say */
			note?: string | null;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Begins the context anew (omp). */
	"appendResetBoundary": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Records which account served a provider (omp). */
	"appendCredentialPin": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** the provider of a model */
			provider: string;
			/** a hash that stands for the account */
			hash: string;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Records how a subagent was started. */
	"appendSessionInit": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** what the subagent is told first */
			systemPrompt: string;
			/** what it is to do */
			task: string;
			/** the names of its tools */
			tools: Array<string>;
			/** what it is to answer */
			outputSchema?: unknown;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Whether the session is kept at all, now or with its first write. */
	"isPersisted": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: boolean;
	};
	/** The working directory. */
	"getCwd": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: string | null;
	};
	/** Where sessions go that are made out of this one, empty in memory. */
	"getSessionDir": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: string;
	};
	/** The id of the session. */
	"getSessionId": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: string | null;
	};
	/** The path, also of a session that is not written yet; null in memory. */
	"getSessionFile": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: string | null;
	};
	/** Whether the session has a file, or its place in the store, already. */
	"isSessionOnDisk": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: boolean;
	};
	/** The name, null for none. */
	"getSessionName": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: string | null;
	};
	/** The header, with the name that counts. */
	"getHeader": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: Header;
	};
	/** The entry that the next one follows, null for none. */
	"getLeafId": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: string | null;
	};
	/** The entry that the next one follows, null for none. */
	"getLeafEntry": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: Entry | null;
	};
	/** The entry of an id, null for none. */
	"getEntry": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** an id; of a session: letters, digits, - _ . and a letter or digit at both ends */
			id: string;
		};
		result: Entry | null;
	};
	/** All entries in the order of the file. */
	"getEntries": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: Array<Entry>;
	};
	/** The entries that follow one. */
	"getChildren": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** an entry, null for none */
			parentId: string | null;
		};
		result: Array<Entry>;
	};
	/** The label of an entry, null for none. */
	"getLabel": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** an id; of a session: letters, digits, - _ . and a letter or digit at both ends */
			id: string;
		};
		result: string | null;
	};
	/** The entries from the root to the leaf, or to another entry. */
	"getBranch": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** the last entry of the branch; without it the leaf */
			fromId?: string | null;
		};
		result: Array<Entry>;
	};
	/** The whole tree. */
	"getTree": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** answers a list instead of a tree */
			flat?: boolean | null;
		};
		result: Array<TreeNode>;
	};
	/** The sums over all answers, on every branch. */
	"getUsageStatistics": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: Usage;
	};
	/** What the model sees at the leaf, or at another entry: of a session, or of entries that are handed in. */
	"buildSessionContext": {
		params: {
			/** an open session, as opening answered it */
			handle?: string | null;
			/** the last entry of the branch; null for the state before any */
			leafId?: string | null;
			/** answers what is sent to a model, cleaned */
			llm?: boolean | null;
			/** a mark that a context came with, or nothing: answers the messages behind it */
			since?: string | null;
			/** answers what a person is shown: all of the branch */
			transcript?: boolean | null;
			/** of a transcript, leaves out what a compaction or a reset put away */
			collapseCompactedHistory?: boolean | null;
			/** of a transcript, keeps calls that have no result yet */
			keepDanglingToolCalls?: boolean | null;
			/** entries, whole */
			entries?: Array<Record<string, unknown>> | null;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | "claude" | "codex" | "opencode" | "crush" | null;
		};
		result: Context;
	};
	/** The entries that make a context: the compaction in effect, what it keeps and what came after, or all of the branch. */
	"buildContextEntries": {
		params: {
			/** an open session, as opening answered it */
			handle?: string | null;
			/** the last entry of the branch; null for the state before any */
			leafId?: string | null;
			/** entries, whole */
			entries?: Array<Record<string, unknown>> | null;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | "claude" | "codex" | "opencode" | "crush" | null;
		};
		result: Array<Entry>;
	};
	/** The last of the entries that is a compaction, null for none. */
	"getLatestCompactionEntry": {
		params: {
			/** entries, whole */
			entries: Array<Record<string, unknown>>;
		};
		result: Entry | null;
	};
	/** Entries, and their header, brought to the present version in memory. */
	"migrateSessionEntries": {
		params: {
			/** entries, whole */
			entries: Array<Record<string, unknown>>;
		};
		result: Array<Record<string, unknown>>;
	};
	/** The header and the entries in the text of a session file, as they are. */
	"parseSessionEntries": {
		params: {
			/** a text, or blocks */
			content: string;
		};
		result: Array<Record<string, unknown>>;
	};
	/** Messages as they are sent to a model, cleaned so that a provider takes them. */
	"convertToLlm": {
		params: {
			/** an open session, as opening answered it */
			handle?: string | null;
			/** messages */
			messages: Array<Record<string, unknown>>;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | "claude" | "codex" | "opencode" | "crush" | null;
		};
		result: Array<Message>;
	};
	/** Makes an entry the leaf. Nothing is written. */
	"branch": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** an id; of a session: letters, digits, - _ . and a letter or digit at both ends */
			id: string;
		};
		result: null;
	};
	/** Makes the next entry a root. Nothing is written. */
	"resetLeaf": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: null;
	};
	/** Makes an entry, or none, the leaf and appends a summary of what was left. */
	"branchWithSummary": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** an id; of a session: letters, digits, - _ . and a letter or digit at both ends */
			id: string | null;
			/** the text that stands for what is left out */
			summary: string;
			/** free data */
			details?: unknown;
			/** whether an extension made it */
			fromExtension?: boolean | null;
			/** the same as fromExtension */
			fromHook?: boolean | null;
			/** what the summary cost (pi) */
			usage?: Record<string, unknown> | null;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
	/** Where the session is, to go back there. */
	"captureState": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: State;
	};
	/** Goes back to where the session was. */
	"restoreState": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** what captureState answered */
			state: Record<string, unknown>;
		};
		result: null;
	};
	/** The handle becomes a new session of the same working directory. */
	"newSession": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** the session it comes from, written as it is given */
			parentSession?: string | null;
			/** an id; of a session: letters, digits, - _ . and a letter or digit at both ends */
			id?: string | null;
		};
		result: string | null;
	};
	/** The handle becomes another session. */
	"setSessionFile": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** a session: an absolute path, an id, the beginning of one, or a name */
			path: string;
		};
		result: null;
	};
	/** Names the session, and answers whether it has that name now. */
	"setSessionName": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** the name */
			name: string;
			/** who names it: a name by a program does not replace a user's */
			source?: "user" | "auto" | null;
		};
		result: boolean;
	};
	/** Writes a branch as a session of its own, which the handle becomes. */
	"createBranchedSession": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** the last entry of the branch; null for the state before any */
			leafId: string;
		};
		result: string | null;
	};
	/** Writes a session now that waits for its first write, and answers its path; null in memory. */
	"ensureOnDisk": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: string | null;
	};
	/** Copies the whole session beside itself; the handle becomes the copy. Null in memory. */
	"fork": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** false leaves the artifacts behind */
			copyArtifacts?: boolean | null;
		};
		result: Forked | null;
	};
	/** Makes it a session of another working directory. */
	"moveTo": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** a working directory, absolute */
			cwd: string;
		};
		result: null;
	};
	/** Replaces entries where they stand, each by the given one of the same id. */
	"rewriteEntries": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** entries, whole */
			entries: Array<Record<string, unknown>>;
		};
		result: null;
	};
	/** Saves what waits and makes everything durable. */
	"flush": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: null;
	};
	/** Saves and closes the session and ends the handle. */
	"close": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: null;
	};
	/** The directory of the session's artifacts, which need not exist; null for none. */
	"getArtifactsDir": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: string | null;
	};
	/** The artifacts of the session. */
	"getArtifacts": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: Array<Artifact>;
	};
	/** The file of an artifact, null for none. */
	"getArtifactPath": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** an id; of a session: letters, digits, - _ . and a letter or digit at both ends */
			id: string;
		};
		result: string | null;
	};
	/** Makes the file of a new artifact, to be written by the client; null in memory. */
	"allocateArtifactPath": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** the tool whose output it is */
			toolType: string;
		};
		result: NewArtifact | null;
	};
	/** Keeps a text as a new artifact, and answers its id; null in memory. */
	"saveArtifact": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** a text, or blocks */
			content: string;
			/** the tool whose output it is */
			toolType: string;
		};
		result: string | null;
	};
	/** Keeps bytes as a blob, and answers how an entry refers to it. */
	"putBlob": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** free data */
			data: string;
			/** the extension that such a file would have, png */
			extension?: string | null;
		};
		result: string;
	};
	/** The bytes behind a reference in an entry, checked. */
	"getBlob": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** a reference, blob:sha256: and a hash */
			ref: string;
		};
		result: string;
	};
	/** Keeps what was typed and not sent; an empty text takes it away. */
	"saveDraft": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** a text, empty for none */
			text: string;
		};
		result: null;
	};
	/** What saveDraft kept, which is kept no longer; null for nothing. */
	"consumeDraft": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: string | null;
	};
	/** The directories of the workspace beside the working directory. */
	"getAdditionalDirectories": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
		};
		result: Array<string>;
	};
	/** Adds a directory to the workspace, and answers its path; null when it was there. */
	"addWorkspaceDirectory": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** a directory, relative to the working directory or absolute */
			directory: string;
		};
		result: string | null;
	};
	/** Takes a directory out of the workspace, and answers its path; null when it was not there. */
	"removeWorkspaceDirectory": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** a directory, relative to the working directory or absolute */
			directory: string;
		};
		result: string | null;
	};
	/** Makes these the directories of the workspace beside the working directory. */
	"setAdditionalDirectories": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** directories, relative to the working directory or absolute */
			directories: Array<string>;
		};
		result: null;
	};
	/** Leads the branch past an entry, for good; the entry stays, off the branch. */
	"discardEntryDurably": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** an entry */
			entryId: string;
		};
		result: null;
	};
	/** What was said in any session, on every branch, the best first. */
	"search": {
		params: {
			/** what to look for */
			query: string;
			/** a working directory, absolute */
			cwd?: string | null;
			/** how many at most */
			limit?: number | null;
			/** how many of one session at most, 0 for all */
			perSession?: number | null;
			/** the directory for session files, absolute; without it that of the agent */
			sessionDir?: string | null;
			/** the directory of the agent, absolute; without it the usual one */
			agentDir?: string | null;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | "claude" | "codex" | "opencode" | "crush" | null;
		};
		result: Array<Hit>;
	};
	/** The session that a path, an id, the beginning of one or a name means. */
	"resolve": {
		params: {
			/** a session: an absolute path, an id, the beginning of one, or a name */
			session: string;
			/** a working directory, absolute */
			cwd?: string | null;
			/** the directory for session files, absolute; without it that of the agent */
			sessionDir?: string | null;
			/** the directory of the agent, absolute; without it the usual one */
			agentDir?: string | null;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | "claude" | "codex" | "opencode" | "crush" | null;
		};
		result: SessionInfo;
	};
	/** The path of the session of a working directory with exactly that id, null for none. */
	"findById": {
		params: {
			/** a working directory, absolute */
			cwd: string;
			/** an id; of a session: letters, digits, - _ . and a letter or digit at both ends */
			id: string;
			/** the directory for session files, absolute; without it that of the agent */
			sessionDir?: string | null;
			/** the directory of the agent, absolute; without it the usual one */
			agentDir?: string | null;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | "claude" | "codex" | "opencode" | "crush" | null;
		};
		result: string | null;
	};
	/** The working directory of a session and how its subagent was started; null for what is no session. */
	"peekSessionInit": {
		params: {
			/** a session: an absolute path, an id, the beginning of one, or a name */
			path: string;
		};
		result: Peeked | null;
	};
	/** The directory in which an agent keeps the sessions of a working directory. */
	"getDefaultSessionDir": {
		params: {
			/** a working directory, absolute */
			cwd: string;
			/** the directory of the agent, absolute; without it the usual one */
			agentDir?: string | null;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | "claude" | "codex" | "opencode" | "crush" | null;
		};
		result: string;
	};
	/** Makes a session of a working directory that holds nothing but its header, and answers its path. */
	"createEmptySessionFile": {
		params: {
			/** a working directory, absolute */
			cwd: string;
			/** the directory for session files, absolute; without it that of the agent */
			sessionDir?: string | null;
			/** the directory of the agent, absolute; without it the usual one */
			agentDir?: string | null;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | "claude" | "codex" | "opencode" | "crush" | null;
		};
		result: string;
	};
	/** What the calls of models in all sessions took and cost, each counted once, by groups. */
	"usage.sum": {
		params: {
			/** what to group by, several of them for groups in groups */
			by?: Array<string> | null;
			/** only from that time on, ISO-8601 */
			from?: string | null;
			/** only before that time, ISO-8601 */
			until?: string | null;
			/** only sessions whose working directory has this in it */
			project?: string | null;
			/** a model, as provider/id; where calls are counted, a part of that */
			model?: string | null;
			/** leaves out abandoned branches */
			active?: boolean | null;
			/** whose days are meant, such as Europe/Berlin; without it UTC */
			timeZone?: string | null;
			/** the directory for session files, absolute; without it that of the agent */
			sessionDir?: string | null;
			/** the directory of the agent, absolute; without it the usual one */
			agentDir?: string | null;
			/** whose rules and places; without it cambium's for what is new, and what is found out for what is there */
			agent?: "cambium" | "pi" | "omp" | "xcsh" | null;
		};
		result: UsageSums;
	};
	/** Moves a session and its artifacts to the trash; null for what is not there. */
	"dropSession": {
		params: {
			/** a session: an absolute path, an id, the beginning of one, or a name */
			path: string;
		};
		result: Operation | null;
	};
	/** Takes back the last operation, or the one that an id names. */
	"undo": {
		params: {
			/** an id; of a session: letters, digits, - _ . and a letter or digit at both ends */
			id?: string | null;
		};
		result: Operation;
	};
	/** What can be taken back, the last first. */
	"listOperations": {
		params: {
		};
		result: Array<Operation>;
	};
	/** Sessions that have no file yet. */
	"listDrafts": {
		params: {
		};
		result: Array<Draft>;
	};
	/** What is wrong with a session, or with all; with fix it is repaired. */
	"doctor": {
		params: {
			/** a session: an absolute path, an id, the beginning of one, or a name */
			path?: string | null;
			/** repairs what can be repaired */
			fix?: boolean | null;
		};
		result: Array<Finding>;
	};
	/** Writes the session as one of another agent. */
	"convert": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** the agent whose form it gets */
			to: "cambium" | "pi" | "omp" | "xcsh";
			/** a session: an absolute path, an id, the beginning of one, or a name */
			path?: string | null;
			/** a working directory, absolute */
			cwd?: string | null;
			/** makes it the same session in another form, with its id */
			keepId?: boolean | null;
			/** the last entry of the branch; null for the state before any */
			leafId?: string | null;
		};
		result: Converted;
	};
	/** What a compaction would sum up and keep; null when there is nothing to sum up. */
	"prepareCompaction": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** about how many tokens of the newest conversation stay */
			keepRecentTokens?: number | null;
			/** how many tokens of the window are kept free */
			reserveTokens?: number | null;
		};
		result: Record<string, unknown> | null;
	};
	/** Compacts the branch by a summary that the client made of what prepareCompaction answered. */
	"compact": {
		params: {
			/** an open session, as opening answered it */
			handle: string;
			/** the text that stands for what is left out */
			summary: string;
			/** a line of it, for lists */
			shortSummary?: string | null;
			/** about how many tokens of the newest conversation stay */
			keepRecentTokens?: number | null;
			/** how many tokens of the window are kept free */
			reserveTokens?: number | null;
			/** free data */
			details?: unknown;
			/** what the summary cost (pi) */
			usage?: Record<string, unknown> | null;
			/** answers the entry as it is stored, instead of its id */
			stored?: boolean | null;
		};
		result: Entry | string;
	};
}

/** Every notification of the server. */
export interface Notifications {
	/** Something happened to an open session. */
	"session.event": {
		/** the open session */
		handle: string;
		/** what happened */
		kind: "appended" | "replaced" | "restored" | "unsaved" | "busy" | "gone" | "moved" | "renamed" | "tips";
		/** the entries it is about. Absent but of `appended` and `tips` */
		ids?: Array<string>;
		/** the entries. Absent but of `appended`, of a handle of `follow` */
		entries?: Array<Entry>;
		/** whether somebody else did it. Absent of `tips` */
		foreign?: boolean;
		/** why. Absent but of `unsaved` */
		error?: Error;
		/** the rest in words; of `moved` the new path. Absent where there is no more to say */
		text?: string;
		/** the new name, empty for none. Absent but of `renamed` */
		title?: string;
	};
	/** How far a call is. */
	"$/progress": {
		/** of the call */
		id: string | number | null;
		/** files read */
		done: number;
		/** files to read */
		total: number;
	};
}

/** The names of errors, by their codes. */
export const faults: Record<number, string> = {
	[-32700]: "Parse",
	[-32600]: "Request",
	[-32601]: "Method",
	[-32602]: "Params",
	[-32603]: "Internal",
	[-32800]: "Cancelled",
	[-32001]: "NotFound",
	[-32002]: "Ambiguous",
	[-32003]: "NotSession",
	[-32004]: "Damaged",
	[-32005]: "Refused",
	[-32006]: "Unsaved",
	[-32007]: "Handle",
	[-32008]: "Forbidden",
	[-32009]: "Limit",
	[-32010]: "Away",
};
