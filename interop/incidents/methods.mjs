// What the incident recipes ask of the real programs beyond the methods of
// ../methods.mjs: sizes instead of whole contexts, many appends in one call, and
// loops that are ended by a signal.
import fs from "node:fs";

/** Returns the methods over the current manager of a program. */
export function incidents(program, current) {
	const say = text => program.append.message(current(), {
		role: "user",
		content: [{ type: "text", text }],
		timestamp: Date.now(),
	});
	const flush = async () => current().flush?.();
	const size = list => list.length;

	/** The programs' own full rewrite: pi's is private, used by its migration. */
	const rewrite = async () => {
		const m = current();
		if (m._rewriteFile) m._rewriteFile();
		else await m.rewriteEntries();
	};

	return {
		say,
		picture: (text, data) => program.append.message(current(), {
			role: "user",
			content: [{ type: "text", text }, { type: "image", data, mimeType: "image/png" }],
			timestamp: Date.now(),
		}),
		rewrite,
		contextSize: () => size(current().buildSessionContext().messages),
		treeSize: () => {
			let n = 0;
			const work = [...current().getTree()];
			while (work.length > 0) {
				n++;
				work.push(...work.pop().children);
			}
			return n;
		},
		outgoing: () => JSON.stringify(program.convertToLlm(current().buildSessionContext().messages)),
		listPaths: async (cwd, dir) => (await program.list(cwd, dir)).map(s => s.path),
		many: async (n, prefix, also) => {
			for (let i = 0; i < n; i++) {
				say(`${prefix}${String(i).padStart(5, "0")}`);
				if (i % 50 === 0) await flush();
				if (i !== Math.floor(n / 2)) continue;
				if (also === "title") await program.append.setName(current(), `named by ${prefix}`, "user");
				if (also === "rewrite") await rewrite();
			}
			await flush();
		},
		loop: async (length, acks) => {
			const log = fs.openSync(acks, "a");
			const text = "the session branch reads a line ".repeat(length / 32 + 1).slice(0, length);
			for (let i = 0; ; i++) {
				fs.writeSync(log, `${say(text)}\n`);
				if (i % 50 === 0) await new Promise(setImmediate);
			}
		},
		rewriteLoop: async () => {
			for (;;) await rewrite();
		},
	};
}
