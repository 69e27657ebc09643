/**
 * The files of the package that wraps a program: an ordinary npm package whose command starts it with the arguments it
 * gets. What was wrapped is pinned: an npm package by its version, a program by its path.
 */
import type { Manifest } from "@capstan/core";
import type { WrapSource } from "./wrap-source.ts";

export interface WrapperFile {
  readonly path: string;
  readonly text: string;
}

export interface WrapperNames {
  /** The capability's id. */
  readonly name: string;
  /** Of the package and of its command: `capstan-cli-{name}`. */
  readonly command: string;
  readonly version: string;
}

export function wrapperFiles(
  { starts, program }: WrapSource,
  { command, version }: WrapperNames,
  manifest?: Manifest,
): WrapperFile[] {
  const project = {
    name: command,
    version,
    description: manifest?.description ?? `Runs ${program}.`,
    type: "module",
    private: true,
    bin: { [command]: "./start.js" },
    ...(starts.kind === "npm" && { dependencies: { [starts.package]: starts.version } }),
  };
  return [
    { path: "package.json", text: jsonText(project) },
    { path: "start.js", text: starts.kind === "npm" ? npmStart(starts) : programStart(starts.path) },
    ...(manifest ? [{ path: "manifest.json", text: jsonText(manifest) }] : []),
  ];
}

const jsonText = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const START = `  const child = spawn(file, args, { stdio: "inherit" });
  child.on("error", (error) => {
    console.error(error.message);
    process.exitCode = 127;
  });
  child.on("exit", (code, signal) => {
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = code ?? 1;
  });
}
`;

const npmStart = ({ package: name, file }: { package: string; file: string }) => `#!/usr/bin/env node
/** Starts ${name} with the arguments of a call; manifest.json describes them. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const folders = createRequire(import.meta.url).resolve.paths(${JSON.stringify(name)}) ?? [];
const program = folders.map((folder) => join(folder, ${JSON.stringify(name)}, ${JSON.stringify(file)})).find((path) => existsSync(path));
if (program === undefined) {
  console.error(${JSON.stringify(`${name} is not installed`)});
  process.exitCode = 127;
} else start(process.execPath, [program, ...process.argv.slice(2)]);

function start(file, args) {
${START}`;

const programStart = (path: string) => `#!/usr/bin/env node
/** Starts ${path} with the arguments of a call; manifest.json describes them. */
import { spawn } from "node:child_process";

start(${JSON.stringify(path)}, process.argv.slice(2));

function start(file, args) {
${START}`;
