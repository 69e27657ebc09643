#!/usr/bin/env node
/* A clone runs TypeScript as it is, which an older Node cannot: say so, instead of a stack about file extensions. */
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Capstan needs Node 22.19 or newer; this is ${process.version}.\n  In a clone, \`npx capstan\` uses the Node 24 that \`npm install\` installed.\n`,
  );
  process.exit(1);
}
await import("../src/main.ts");
