// Times one operation of one real program on one session file, in this fresh
// process, and prints one JSON object:
// {"op","ms","rssKb","importMs",…}: ms is the operation alone, timed inside the
// process, rssKb the peak resident memory of the whole process. The file is only
// read; what is written goes to a folder beside TMPDIR that is removed.
//
// Usage: node bench.mjs pi OP FILE [COUNT]   |   bun bench.mjs omp OP FILE [COUNT]
//   open      open the session (parse and index)
//   context   open it and build the context of its leaf: openMs, contextMs, ms
//             is their sum, and messages the number that came out
//   tree      open it (openMs), then build the whole tree: ms
//   append    open a copy (openMs), then append COUNT entries of 2 KB (default
//             2000), flushed as the program does: ms for all, usPerEntry
//   fork      copy the whole session into another project: ms
//   list      FILE is a directory: describe every session in it
//   recent    FILE is a directory: the COUNT sessions that changed last (omp)
//   import    nothing but loading the program
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const [name, op, file, count = "2000"] = process.argv.slice(2);
const operations = { open, context, tree, append, fork, list, recent, import: () => ({ ms: 0 }) };
if (!Object.hasOwn(operations, op) || (op !== "import" && !file)) {
	console.error("usage: bench.mjs pi|omp open|context|tree|append|fork|list|recent|import FILE [COUNT]");
	process.exit(2);
}

const began = performance.now();
const { load } = await import("./programs.mjs");
const program = await load(name);
const importMs = performance.now() - began;

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "bench-"));
let measured;
try {
	measured = await operations[op]();
} finally {
	fs.rmSync(scratch, { recursive: true, force: true });
}
const times = Object.fromEntries(Object.entries(measured).map(([k, v]) => [k, Math.round(v * 1000) / 1000]));
// What resourceUsage tells is never less than the peak of who started this process.
const rssKb = Number(/VmHWM:\s*(\d+)/.exec(fs.readFileSync("/proc/self/status", "utf8"))[1]);
console.log(JSON.stringify({ op, ...times, rssKb, importMs: Math.round(importMs), program: name }));

async function timed(work) {
	const from = performance.now();
	const value = await work();
	return [performance.now() - from, value];
}

async function open() {
	const [ms] = await timed(() => program.open(file, scratch));
	return { ms };
}

async function context() {
	const [openMs, m] = await timed(() => program.open(file, scratch));
	const [contextMs, built] = await timed(() => m.buildSessionContext());
	return { ms: openMs + contextMs, openMs, contextMs, messages: built.messages.length };
}

async function tree() {
	const [openMs, m] = await timed(() => program.open(file, scratch));
	const [ms, roots] = await timed(() => m.getTree());
	return { ms, openMs, roots: roots.length };
}

async function fork() {
	const [ms, m] = await timed(() => program.forkFrom(file, scratch, scratch));
	return { ms, bytes: fs.statSync(m.getSessionFile()).size };
}

async function list() {
	const [ms, all] = await timed(() => program.listDir(file));
	return { ms, entries: all.length };
}

async function recent() {
	const [ms, all] = await timed(() => program.recent(file, Number(count)));
	return { ms, entries: all.length };
}

async function append() {
	const copy = path.join(scratch, "s.jsonl");
	fs.copyFileSync(file, copy);
	const [openMs, m] = await timed(() => program.open(copy, scratch));
	const entries = Number(count);
	const text = "the session branch reads a line and keeps every byte ".repeat(40).slice(0, 1840);
	const [ms] = await timed(async () => {
		for (let i = 0; i < entries; i++) m.appendMessage({ role: "user", content: text, timestamp: i });
		await m.flush?.();
	});
	const grown = (fs.statSync(copy).size - fs.statSync(file).size) / entries;
	return { ms, openMs, usPerEntry: (ms * 1000) / entries, entries, bytesPerEntry: grown };
}
