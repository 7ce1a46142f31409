// The two real programs as the driver and the measurements see them: where
// their session manager is, and the few calls that differ between them.
// Run by the program's own runtime: node for pi, bun for omp.
import path from "node:path";
import { pathToFileURL } from "node:url";

const here = import.meta.dirname;

/** Loads the named program ("pi", "pi-1.5.2" or "omp") and returns its calls. */
export async function load(name) {
	if (name === "pi") return loadPi(name, "pi-coding-agent");
	if (name === "pi-1.5.2") return loadPi(name, "pi-coding-agent-1.5.2");
	if (name === "omp") return loadOmp();
	throw new Error(`unknown program ${name}`);
}

function module(...parts) {
	return import(pathToFileURL(path.join(here, ...parts)).href);
}

async function loadPi(name, folder) {
	const core = ["pi", "node_modules", "@earendil-works", folder, "dist", "core"];
	const sessions = await module(...core, "session-manager.js");
	const { convertToLlm } = await module(...core, "messages.js");
	const compaction = await module(...core, "compaction", "compaction.js");
	const branches = await module(...core, "compaction", "branch-summarization.js");
	const S = sessions.SessionManager;
	return {
		name,
		convertToLlm,
		contextAt: sessions.buildSessionContext,
		contextEntriesAt: sessions.buildContextEntries,
		migrate: sessions.migrateSessionEntries,
		prepareCompaction: compaction.prepareCompaction,
		prepareBranch: branches.prepareBranchEntries,
		collectBranch: branches.collectEntriesForBranchSummary,
		open: (file, dir) => S.open(file, dir),
		create: (cwd, dir, options) => S.create(cwd, dir, options),
		inMemory: cwd => S.inMemory(cwd),
		forkFrom: (source, cwd, dir) => S.forkFrom(source, cwd, dir),
		list: (cwd, dir) => S.list(cwd, dir),
		listAll: dir => S.listAll(dir),
		listDir: dir => S.listAll(dir),
		continueRecent: (cwd, dir) => S.continueRecent(cwd, dir),
		// pi's runtime forks by branching off a manager opened for the purpose.
		fork: async m => {
			const oldSessionFile = m.getSessionFile();
			const fresh = S.open(oldSessionFile, m.getSessionDir());
			const newSessionFile = fresh.createBranchedSession(m.getLeafId());
			return { manager: fresh, value: { oldSessionFile, newSessionFile } };
		},
		append: {
			message: (m, message) => m.appendMessage(message),
			thinking: (m, level) => m.appendThinkingLevelChange(level),
			model: (m, provider, modelId) => m.appendModelChange(provider, modelId),
			usage: (m, ...args) => m.appendUsage(...args).id,
			compaction: (m, ...args) => m.appendCompaction(...args),
			sessionInfo: (m, name) => m.appendSessionInfo(name),
			setName: (m, name) => m.appendSessionInfo(name),
			contextEdit: (m, target, replacement) => m.appendContextEdit(target, replacement),
		},
	};
}

async function loadOmp() {
	const root = ["omp", "node_modules", "@oh-my-pi", "pi-coding-agent", "src", "session"];
	const { SessionManager: S } = await module(...root, "session-manager.ts");
	const { buildSessionContext } = await module(...root, "session-context.ts");
	const { convertToLlm } = await module(...root, "messages.ts");
	const { getRecentSessions } = await module(...root, "session-listing.ts");
	const core = ["omp", "node_modules", "@oh-my-pi", "pi-agent-core", "src"];
	const compaction = await module(...core, "compaction", "compaction.ts");
	const branches = await module(...core, "compaction", "branch-summarization.ts");
	const pruning = await module(...core, "compaction", "pruning.ts");
	const { Tokenizer } = await module(...core, "tokenizer.ts");
	return {
		name: "omp",
		convertToLlm,
		contextAt: buildSessionContext,
		transcriptAt: (entries, leaf, options) => buildSessionContext(entries, leaf, undefined, { transcript: true, ...options }),
		prepareCompaction: compaction.prepareCompaction,
		prepareBranch: (entries, budget) => branches.prepareBranchEntries(entries, new Tokenizer(), budget),
		collectBranch: branches.collectEntriesForBranchSummary,
		prune: (entries, config) =>
			pruning.pruneToolOutputs(entries, new Tokenizer(), {
				...pruning.DEFAULT_PRUNE_CONFIG,
				supersedeKey: pruning.readToolSupersedeKey,
				...config,
			}),
		open: (file, dir) => S.open(file, dir),
		create: (cwd, dir) => S.create(cwd, dir),
		inMemory: cwd => S.inMemory(cwd),
		forkFrom: (source, cwd, dir) => S.forkFrom(source, cwd, dir),
		list: (cwd, dir) => S.list(cwd, dir),
		listAll: () => S.listAll(),
		listDir: dir => S.list("/", dir),
		recent: (dir, limit) => getRecentSessions(dir, limit),
		continueRecent: (cwd, dir) => S.continueRecent(cwd, dir),
		fork: async m => ({ manager: m, value: await m.fork() }),
		append: {
			message: (m, message) => m.appendMessage(message),
			messageTo: (m, message, parent) => m.appendMessageToBranch(message, parent),
			thinking: (m, ...args) => m.appendThinkingLevelChange(...args),
			model: (m, ...args) => m.appendModelChange(...args),
			serviceTier: (m, tier) => m.appendServiceTierChange(tier),
			mode: (m, mode, data) => m.appendModeChange(mode, data),
			sessionInit: (m, init) => m.appendSessionInit(init),
			compaction: (m, ...args) => m.appendCompaction(...args),
			resetBoundary: m => m.appendResetBoundary(),
			ttsr: (m, rules) => m.appendTtsrInjection(rules),
			credentialPin: (m, provider, hash) => m.appendCredentialPin(provider, hash),
			modelUsage: (m, usage) => m.appendModelUsage(usage, { sessionId: m.getSessionId(), parentId: m.getLeafId() }),
			setName: (m, name, source, trigger) => m.setSessionName(name, source, trigger),
			discard: (m, id) => m.discardEntryDurably(id),
		},
	};
}
