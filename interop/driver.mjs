// Runs one of the real programs' own session manager on commands from standard
// input, one JSON object a line: {"id":1,"method":"open","args":["/a.jsonl"]}.
// Answers one line each, in order: {"id":1,"value":…} (no value for undefined)
// or {"id":1,"error":"message"}. One process serves any number of files; the
// first line it writes is {"ready":program,"runtime":version}.
//
// Usage: node driver.mjs pi   |   bun driver.mjs omp
import { methods } from "./methods.mjs";
import { load } from "./programs.mjs";

// Only answers go to standard output, whatever the program prints.
for (const level of ["log", "info", "debug"]) console[level] = console.error;

const program = await load(process.argv[2]);
const table = methods(program);

await answer({ ready: program.name, runtime: process.versions.bun ?? process.versions.node });
for await (const line of lines(process.stdin)) await serve(line);

async function serve(line) {
	let id;
	try {
		const command = JSON.parse(line);
		id = command.id;
		if (!Object.hasOwn(table, command.method)) throw new Error(`unknown method ${command.method}`);
		await answer({ id, value: await table[command.method](...(command.args ?? [])) });
	} catch (e) {
		await answer({ id, error: String(e?.message ?? e) });
	}
}

/** Writes one line and waits until the pipe has taken it. */
function answer(value) {
	const line = `${JSON.stringify(value)}\n`;
	return new Promise((done, failed) => process.stdout.write(line, e => (e ? failed(e) : done())));
}

/**
 * Yields the lines of a stream, ended by LF only: the runtime's own line reader
 * also stops at U+2028, which session text may hold as it is.
 */
async function* lines(stream) {
	let parts = [];
	for await (const chunk of stream) {
		let from = 0;
		for (let at; (at = chunk.indexOf(10, from)) >= 0; from = at + 1) {
			parts.push(chunk.subarray(from, at));
			yield Buffer.concat(parts).toString("utf8");
			parts = [];
		}
		parts.push(chunk.subarray(from));
	}
}
