// Writes methods.ts: the types of every method of `cambium rpc`, from its OpenRPC
// document.
//
//   node generate.mjs < ../../doc/openrpc.json > methods.ts
//
// The document is also what the server answers to rpc.discover.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const text = readFileSync(0);
const document = JSON.parse(text.toString());

/** The TypeScript type of a JSON Schema. */
function type(schema, indent = "") {
	if (schema.$ref) return schema.$ref.split("/").at(-1);
	if (schema.anyOf) return schema.anyOf.map(s => type(s, indent)).join(" | ");
	if (schema.enum) return schema.enum.map(v => JSON.stringify(v)).join(" | ");
	if (Array.isArray(schema.type)) return schema.type.map(t => type({ ...schema, type: t }, indent)).join(" | ");
	switch (schema.type) {
		case "integer":
			return "number";
		case "array":
			return schema.items ? `Array<${type(schema.items, indent)}>` : "unknown[]";
		case "object":
			return object(schema, indent);
		case undefined:
			return "unknown";
	}
	return schema.type;
}

function object(schema, indent) {
	if (typeof schema.additionalProperties === "object") return `Record<string, ${type(schema.additionalProperties, indent)}>`;
	if (!schema.properties) return "Record<string, unknown>";
	const inner = indent + "\t";
	const lines = Object.entries(schema.properties).map(([name, s]) => {
		const says = s.description ? `${inner}/** ${s.description} */\n` : "";
		return `${says}${inner}${name}${schema.required?.includes(name) ? "" : "?"}: ${type(s, inner)};`;
	});
	if (schema.additionalProperties !== false) lines.push(`${inner}[more: string]: unknown;`);
	return `{\n${lines.join("\n")}\n${indent}}`;
}

const out = [
	"// Written by generate.mjs from the OpenRPC document; not to be edited.",
	`// sha256 of the document: ${createHash("sha256").update(text).digest("hex")}`,
	"",
];
for (const [name, schema] of Object.entries(document.components.schemas)) {
	out.push(`/** ${schema.description} */`, `export type ${name} = ${type(schema)};`, "");
}
out.push("/** Every method: what it takes and what it answers. */", "export interface Methods {");
for (const method of document.methods) {
	out.push(`\t/** ${method.summary} */`, `\t${JSON.stringify(method.name)}: {`, "\t\tparams: {");
	for (const p of method.params) {
		out.push(`\t\t\t/** ${p.summary} */`, `\t\t\t${p.name}${p.required ? "" : "?"}: ${type(p.schema, "\t\t\t")};`);
	}
	out.push("\t\t};", `\t\tresult: ${type(method.result.schema, "\t\t")};`, "\t};");
}
out.push("}", "", "/** Every notification of the server. */", "export interface Notifications {");
for (const n of document["x-notifications"]) {
	out.push(`\t/** ${n.summary} */`, `\t${JSON.stringify(n.name)}: ${type(n.params, "\t")};`);
}
out.push("}", "", "/** The names of errors, by their codes. */", "export const faults: Record<number, string> = {");
for (const [name, e] of Object.entries(document.components.errors)) out.push(`\t[${e.code}]: ${JSON.stringify(name)},`);
out.push("};", "");
process.stdout.write(out.join("\n"));
