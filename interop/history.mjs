// Runs omp's own prompt history on commands from standard input, one JSON
// object a line: {"op":"add","args":["prompt","/cwd","session"]}. Answers one
// line each, in order. The database is that of the home it is given.
//
// Usage: bun history.mjs
import { Database } from "bun:sqlite";
import path from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const session = path.join(import.meta.dirname, "omp", "node_modules", "@oh-my-pi", "pi-coding-agent", "src", "session");
const load = name => import(pathToFileURL(path.join(session, name)).href);
const { HistoryStorage } = await load("history-storage.ts");
const { recordSessionTitle } = await load("title-index.ts");

const found = row => ({ id: row.id, prompt: row.prompt, created: row.created_at, cwd: row.cwd ?? "", session: row.sessionId ?? "" });
const ops = {
	add: (...args) => HistoryStorage.open().add(...args),
	recent: n => HistoryStorage.open().getRecent(n).map(found),
	search: (query, n) => HistoryStorage.open().search(query, n).map(found),
	sessions: query => HistoryStorage.open().matchingSessionIds(query),
	title: (id, title) => recordSessionTitle(id, title),
	// The program has no say in when: it is set behind its back.
	at: (session, prompt, seconds) => {
		const db = new Database(path.join(process.env.HOME, ".omp", "agent", "history.db"));
		db.run("UPDATE history SET created_at = ? WHERE session_id = ? AND prompt = ?", [seconds, session, prompt]);
		db.close();
	},
	close: () => HistoryStorage.close(),
};

for await (const line of createInterface({ input: process.stdin })) {
	const { op, args = [] } = JSON.parse(line);
	const value = (await ops[op](...args)) ?? null;
	process.stdout.write(`${JSON.stringify(value)}\n`);
}
