#!/usr/bin/env node
// Runs the command of this machine's package with what it was given, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");

const name = `@cambium-dev/cambium-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "cambium.exe" : "cambium";

let binary;
try {
  binary = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(
    `cambium: find the command: the package ${name} is not installed; ` +
      "install cambium without --omit=optional, or see https://github.com/cambium-dev/cambium/blob/main/doc/install.md",
  );
  process.exit(1);
}

const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });

// A terminal interrupts both; what others send is passed on.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}

child.on("error", (error) => {
  console.error(`cambium: start ${JSON.stringify(binary)}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
