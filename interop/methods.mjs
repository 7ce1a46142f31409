// The methods that the driver answers, by name. The names of steps are those of
// the recorded vectors; `dump` and its parts exist for comparing whole files.
import fs from "node:fs";
import path from "node:path";
import { compaction } from "./compaction.mjs";
import { incidents } from "./incidents/methods.mjs";
import { pretend } from "./pretend.mjs";

/** Returns the method table over one program; it holds the current manager. */
export function methods(program) {
	let m; // the current session manager
	let sandbox = "."; // where open and create work when not told

	const current = () => {
		if (!m) throw new Error("no session is open");
		return m;
	};
	const opened = () => ({
		sessionId: m.getSessionId(),
		leafId: m.getLeafId(),
		entryIds: m.getEntries().map(e => e?.id ?? null),
	});
	const file = which => (which === "session" ? current().getSessionFile() : path.join(sandbox, "s.jsonl"));
	const flush = async () => m?.flush?.();
	const contextAt = leaf => program.contextAt(current().getEntries(), leaf);

	const table = {
		pretend,
		sandbox: dir => {
			m = undefined;
			sandbox = dir;
		},
		open: async (target = path.join(sandbox, "s.jsonl"), dir) => {
			m = undefined;
			m = await program.open(target, dir);
			return opened();
		},
		create: (cwd, dir = path.join(sandbox, "store"), options) => {
			m = program.create(cwd, dir, options);
			return { sessionId: m.getSessionId(), file: m.getSessionFile() };
		},
		inMemory: cwd => {
			m = program.inMemory(cwd);
			return opened();
		},
		continueRecent: async (cwd, dir) => {
			m = await program.continueRecent(cwd, dir);
			return { ...opened(), file: m.getSessionFile() };
		},
		forkFrom: async (source, cwd, dir) => {
			m = await program.forkFrom(source, cwd, dir);
			return m.getSessionFile();
		},
		fork: async () => {
			const forked = await program.fork(current());
			m = forked.manager;
			return forked.value;
		},
		moveTo: (cwd, dir) => current().moveTo(cwd, dir),
		newSession: options => current().newSession(options),
		ensureOnDisk: () => current().ensureOnDisk(),
		setSessionFile: target => current().setSessionFile(target),
		flush,
		close: async () => {
			await m?.close?.();
			m = undefined;
		},

		custom: (type, data) => current().appendCustomEntry(type, data),
		customMessage: (...args) => current().appendCustomMessageEntry(...args),
		label: (target, label) => current().appendLabelChange(target, label ?? undefined),
		branch: id => current().branch(id),
		resetLeaf: () => current().resetLeaf(),
		branchWithSummary: (...args) => current().branchWithSummary(...args),
		branchSummary: (...args) => current().branchWithSummary(...args),
		createBranchedSession: leaf => current().createBranchedSession(leaf),

		getBranch: id => current().getBranch(id).map(e => e.id),
		getChildren: id => current().getChildren(id).map(e => e.id),
		getLabel: id => current().getLabel(id),
		leaf: () => current().getLeafId(),
		header: () => current().getHeader(),
		name: () => current().getSessionName(),
		entry: id => current().getEntry(id),
		entries: () => current().getEntries(),
		usageStatistics: () => current().getUsageStatistics(),
		sessionFile: () => current().getSessionFile(),
		tree: () => tree(current().getTree()),
		treeEntries: () => current().getTree(),
		treeFlat: () => flatTree(current().getTree()),
		context: () => current().buildSessionContext(),
		contextAt: contextAt,
		contextEntriesAt: leaf => program.contextEntriesAt(current().getEntries(), leaf).map(e => e.id),
		transcriptAt: (leaf, options) => program.transcriptAt(current().getEntries(), leaf, options),
		convertToLlm: messages => program.convertToLlm(messages ?? current().buildSessionContext().messages),
		list: (cwd, dir = sandbox) => program.list(cwd, dir),
		listAll: dir => program.listAll(dir),

		exists: which => fs.existsSync(file(which)),
		file: async which => {
			await flush();
			return fs.readFileSync(file(which), "utf8").split("\n");
		},
		rawFile: which => fs.readFileSync(file(which), "utf8").split("\n"),
		externalAppend: text => fs.appendFileSync(file(), text),

		dump: (options = {}) => dump(program, current(), options),
		load: async (target, options) => {
			await table.open(target);
			return table.dump(options);
		},
		script: steps => script(table, flush, steps),
	};
	Object.assign(table, incidents(program, current), compaction(program, current));
	for (const [name, append] of Object.entries(program.append)) {
		table[name] = (...args) => append(current(), ...args);
	}
	return table;
}

/**
 * Everything that two readers of one file should agree on. Options: leaves
 * (ids to give a context for besides the current one), llm (convert every
 * context as well), tree (false leaves it out, for chains too deep to nest).
 */
function dump(program, m, { leaves = [], llm = true, tree: withTree = true }) {
	const entries = m.getEntries();
	const labels = Object.create(null); // an id may be __proto__
	for (const e of entries) {
		const label = e?.id === undefined ? undefined : m.getLabel(e.id);
		if (label !== undefined) labels[e.id] = label;
	}
	const context = m.buildSessionContext();
	const out = {
		header: m.getHeader(),
		sessionId: m.getSessionId(),
		leafId: m.getLeafId(),
		entryIds: entries.map(e => e?.id ?? null),
		name: m.getSessionName(),
		labels,
		tree: withTree ? tree(m.getTree()) : undefined,
		context,
		contexts: Object.create(null),
		llm: llm ? program.convertToLlm(context.messages) : undefined,
		llms: llm ? Object.create(null) : undefined,
	};
	for (const leaf of leaves) {
		const at = program.contextAt(entries, leaf);
		out.contexts[leaf] = at;
		if (llm) out.llms[leaf] = program.convertToLlm(at.messages);
	}
	return out;
}

/** Reduces a tree to ids, labels and children, without recursion. */
function tree(roots) {
	const top = [];
	const work = [[roots, top]];
	while (work.length > 0) {
		const [nodes, out] = work.pop();
		for (const node of nodes) {
			const reduced = { id: node.entry.id, label: node.label, children: [] };
			out.push(reduced);
			work.push([node.children, reduced.children]);
		}
	}
	return top;
}

/** The tree in depth-first order, each node as [id, depth, label]. */
function flatTree(roots) {
	const out = [];
	const work = roots.map(node => [node, 0]).reverse();
	while (work.length > 0) {
		const [node, depth] = work.pop();
		out.push([node.entry.id ?? null, depth, node.label ?? null]);
		for (const child of node.children.toReversed()) work.push([child, depth + 1]);
	}
	return out;
}

/**
 * Runs the steps of a vector in order: "$k" in an argument is the result of step
 * k. A step's result is its value, {error} when it threw, or {value, flushError}
 * when saving it afterwards failed.
 */
async function script(table, flush, steps) {
	const results = [];
	for (const [name, ...args] of steps) {
		try {
			if (!Object.hasOwn(table, name)) throw new Error(`unknown step ${name}`);
			const value = await table[name](...args.map(a => resolve(a, results)));
			results.push(value);
		} catch (e) {
			results.push({ error: e.message });
			continue;
		}
		try {
			await flush();
		} catch (e) {
			results.push({ value: results.pop(), flushError: e.message });
		}
	}
	return results;
}

/** Replaces "$k" by the (unwrapped) result of step k. */
function resolve(arg, results) {
	const reference = typeof arg === "string" && /^\$(\d+)$/.exec(arg);
	if (!reference) return arg;
	const result = results[Number(reference[1])];
	return result && typeof result === "object" && "flushError" in result ? result.value : result;
}
