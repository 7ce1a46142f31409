// Lets a program believe in another clock, and draw its ids from a seed, so that
// it writes the same files every time.
import { createRequire, syncBuiltinESMExports } from "node:module";

const RealDate = Date;
let now; // in ms since 1970, undefined for the real clock
let state; // of the generator

class PretendedDate extends RealDate {
	constructor(...args) {
		super(...(args.length === 0 ? [PretendedDate.now()] : args));
	}
	static now() {
		return now ?? RealDate.now();
	}
}

/** Stops the clock at a time (ms since 1970) and, with a seed, settles all ids. */
export function pretend(ms, seed) {
	now = ms;
	globalThis.Date = PretendedDate;
	if (seed === undefined) return;
	if (state === undefined) settle();
	state = seed >>> 0 || 1;
}

/** Puts a generator in the place of what ids are drawn from. */
function settle() {
	const node = createRequire(import.meta.url)("node:crypto");
	globalThis.crypto.getRandomValues = fill;
	globalThis.crypto.randomUUID = () => uuid(bytes(), 4);
	node.randomUUID = globalThis.crypto.randomUUID;
	syncBuiltinESMExports();
	if (globalThis.Bun) Bun.randomUUIDv7 = () => uuid(timed(bytes()), 7);
}

/** The next number below 2³² (xorshift). */
function next() {
	state ^= state << 13;
	state ^= state >>> 17;
	state ^= state << 5;
	return (state >>>= 0);
}

function fill(array) {
	const view = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
	for (let i = 0; i < view.length; i++) view[i] = next() >>> 11;
	return array;
}

const bytes = () => fill(new Uint8Array(16));

/** Writes the time into the first six bytes. */
function timed(b) {
	for (let i = 0; i < 6; i++) b[i] = Math.floor(Date.now() / 2 ** (8 * (5 - i))) & 0xff;
	return b;
}

function uuid(b, version) {
	b[6] = (b[6] & 0x0f) | (version << 4);
	b[8] = (b[8] & 0x3f) | 0x80;
	const hex = Buffer.from(b).toString("hex");
	return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
