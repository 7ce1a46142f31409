// Keeps a conversation with `cambium rpc`, and finds it again.
//
//   node conversation.ts DIRECTORY [COMMAND...]
//
// DIRECTORY is an absolute one, for the sessions. COMMAND is the server, `cambium rpc`
// if it is not said.
import { Cambium, Fault } from "./client.ts";
import type { Context } from "./methods.ts";

const [directory, ...rest] = process.argv.slice(2);
const command = rest.length > 0 ? rest : ["cambium", "rpc"];

const user = (text: string) => ({ role: "user", content: text });
const answer = (text: string) => ({ role: "assistant", content: [{ type: "text", text }], provider: "local", model: "small" });

/** What was said. */
function texts(context: Context): string {
	const said = context.messages.map(message => {
		const content = message.content as string | Array<{ text: string }>;
		return typeof content === "string" ? content : content[0].text;
	});
	return said.join(" ");
}

let cambium = new Cambium(command);
const about = await cambium.call("initialize", { ownEvents: false });
console.log("speaks", about.protocolVersion);

// Begin, say something, and take another way from the first question.
let { handle } = await cambium.call("create", { cwd: "/work/garden", sessionDir: directory, firstWrite: "user" });
const question = (await cambium.call("appendMessage", { handle, message: user("What grows in the shade?") })) as string;
await cambium.call("appendMessage", { handle, message: answer("Ferns.") });
const first = await cambium.call("buildSessionContext", { handle, since: "" });
await cambium.call("appendMessage", { handle, message: user("And in the sun?") });
const more = await cambium.call("buildSessionContext", { handle, since: first.mark });
console.log("new since the mark:", texts(more), `(after ${more.from})`);
await cambium.call("branch", { handle, id: question });
await cambium.call("appendMessage", { handle, message: answer("Hostas.") });
await cambium.call("setSessionName", { handle, name: "Shade" });
console.log("on this branch:", texts(await cambium.call("buildSessionContext", { handle })));
for (const node of await cambium.call("getTree", { handle, flat: true })) {
	console.log("  ".repeat(node.depth ?? 0) + node.entry.type);
}
const path = await cambium.call("getSessionFile", { handle });
await cambium.call("close", { handle });

// What went wrong has a name.
try {
	await cambium.call("getEntries", { handle });
} catch (error) {
	if (!(error instanceof Fault)) throw error;
	console.log("closed:", error.kind);
}
await cambium.close();

// Another server, another day: found by its name, and gone on with.
cambium = new Cambium(command);
const found = await cambium.call("resolve", { session: "Shade", sessionDir: directory });
console.log("found:", found.path === path ? "True" : "False", found.messageCount, "messages");
({ handle } = await cambium.call("open", { path: found.path }));
const stored = await cambium.call("appendMessage", { handle, message: user("Thank you."), stored: true });
if (typeof stored === "string") throw new Error("an id, and the entry was asked for");
const before = await cambium.call("getEntry", { handle, id: stored.parentId! });
console.log("goes on from", before?.type);
console.log("then:", texts(await cambium.call("buildSessionContext", { handle })));
await cambium.call("close", { handle });
await cambium.close();
