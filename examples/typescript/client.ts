// A client of `cambium rpc`. The types of its calls are in methods.ts, which
// generate.mjs writes from the server's OpenRPC document. Node 22.18 or later runs it
// as it is.
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { faults, type Methods, type Notifications } from "./methods.ts";

/** An error that the server answered, with the name that the document gives it. */
export class Fault extends Error {
	kind: string;
	code: number;
	data: unknown;
	constructor(error: { code: number; message: string; data?: unknown }) {
		super(error.message);
		this.kind = faults[error.code] ?? "Unknown";
		this.code = error.code;
		this.data = error.data;
	}
}

type Waiting = { resolve: (result: never) => void; reject: (error: Error) => void };

/** A server, and the calls to it. */
export class Cambium {
	#server: ChildProcess;
	#waiting = new Map<number, Waiting>();
	#last = 0;
	#ended: Promise<number | null>;

	constructor(command: string[] = ["cambium", "rpc"], told: <N extends keyof Notifications>(name: N, params: Notifications[N]) => void = () => {}) {
		this.#server = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
		this.#ended = new Promise(resolve => this.#server.on("close", resolve));
		createInterface({ input: this.#server.stdout! }).on("line", line => {
			const message = JSON.parse(line);
			if (message.method) return told(message.method, message.params);
			const waiting = this.#waiting.get(message.id)!;
			this.#waiting.delete(message.id);
			if (message.error) waiting.reject(new Fault(message.error));
			else waiting.resolve(message.result as never);
		});
		this.#server.on("close", () => {
			for (const waiting of this.#waiting.values()) waiting.reject(new Error("the server is gone"));
		});
	}

	/** Calls a method. */
	call<M extends keyof Methods>(method: M, params: Methods[M]["params"]): Promise<Methods[M]["result"]> {
		const id = ++this.#last;
		return new Promise((resolve, reject) => {
			this.#waiting.set(id, { resolve, reject });
			this.#server.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
		});
	}

	/** Ends the server, which saves and closes every session first. */
	async close(): Promise<void> {
		this.#server.stdin!.end();
		if ((await this.#ended) !== 0) throw new Error("the server could not save everything");
	}
}
