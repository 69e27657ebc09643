/** Packages for tests, built from source text: a wheel in Python's standard library only, and an npm tarball. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Result } from "@capstan/core";
import { buildNpmTarball, buildWheel } from "@capstan/core/internal";
import { nodeCodec } from "../../packages/runtime/src/install/node-codec.ts";

export interface TestPackage {
  readonly name?: string;
  readonly version?: string;
  readonly command?: string;
  readonly manifest?: object | undefined;
  readonly code?: string;
  readonly dependencies?: string[];
  readonly scripts?: Record<string, string>;
  readonly files?: Record<string, string>;
}

export const demoManifest = {
  name: "demo",
  type: "cli",
  command: "aech-cli-demo",
  description: "Echoes what it is given",
  required_scopes: ["Demo.Use"],
  actions: [
    { name: "echo", description: "Says it again", parameters: ["--json", "--loud", "text"] },
    {
      name: "write",
      description: "Writes a file",
      parameters: ["path", "text"],
      required_scopes: ["Demo.Write"],
    },
  ],
};

const PYTHON = `
import argparse, json, os, pathlib, sys

def cli():
    parser = argparse.ArgumentParser(prog="aech-cli-demo")
    commands = parser.add_subparsers(dest="action", required=True)
    echo = commands.add_parser("echo")
    echo.add_argument("--json", action="store_true")
    echo.add_argument("--loud", action="store_true")
    echo.add_argument("text")
    write = commands.add_parser("write")
    write.add_argument("path")
    write.add_argument("text")
    args = parser.parse_args()
    if args.action == "echo":
        if args.text == "fail":
            print("it failed on purpose", file=sys.stderr)
            sys.exit(3)
        text = args.text.upper() if args.loud else args.text
        print(json.dumps({"text": text, "home": os.environ.get("HOME"), "cwd": os.getcwd(), "env": sorted(os.environ)}))
    else:
        pathlib.Path(args.path).write_text(args.text)
        print("written")
`;

export function testWheel(change: TestPackage = {}): Uint8Array {
  const { name = "aech-cli-demo", version = "0.1.0", manifest, code = PYTHON, dependencies = [] } = change;
  const module = name.replaceAll("-", "_");
  const files = [
    file(`${module}/__init__.py`, ""),
    file(`${module}/main.py`, code),
    ...("manifest" in change && manifest === undefined
      ? []
      : [file("manifest.json", JSON.stringify(manifest ?? demoManifest))]),
  ];
  const project = { name, version, dependencies, scripts: { "aech-cli-demo": `${module}.main:cli` } };
  return bytesOf(buildWheel({ project }, files, nodeCodec));
}

const NODE = `#!/usr/bin/env node
import { writeFileSync } from "node:fs";
const [action, ...rest] = process.argv.slice(2);
const words = rest.filter((word) => !word.startsWith("--"));
if (action === "echo") {
  if (words[0] === "fail") { console.error("it failed on purpose"); process.exit(3); }
  console.log(JSON.stringify({ text: rest.includes("--loud") ? words[0].toUpperCase() : words[0], home: process.env.HOME, cwd: process.cwd(), env: Object.keys(process.env).sort() }));
} else { writeFileSync(words[0], words[1]); console.log("written"); }
`;

export function testTarball(change: TestPackage = {}): Uint8Array {
  const { name = "aech-cli-demo", version = "0.1.0", manifest, code = NODE, scripts = {} } = change;
  const json = {
    name,
    version,
    type: "module",
    bin: { [change.command ?? "aech-cli-demo"]: "main.mjs" },
    scripts,
    dependencies: Object.fromEntries(
      (change.dependencies ?? []).map((each) => each.split("@") as [string, string]),
    ),
  };
  const files = [
    file("package.json", JSON.stringify(json)),
    file("main.mjs", code),
    ...("manifest" in change && manifest === undefined
      ? []
      : [file("manifest.json", JSON.stringify(manifest ?? demoManifest))]),
    ...Object.entries(change.files ?? {}).map(([path, text]) => file(path, text)),
  ];
  return bytesOf(buildNpmTarball(files, nodeCodec));
}

export const file = (path: string, text: string) => ({ path, bytes: new TextEncoder().encode(text) });

function bytesOf(built: Result<{ bytes: Uint8Array }>): Uint8Array {
  if (!built.ok) throw new Error(built.failure.message);
  return built.value.bytes;
}

/** A folder as its author has it, not packed: the demo package in Python. */
export function writePythonProject(folder: string): void {
  mkdirSync(join(folder, "aech_cli_demo"), { recursive: true });
  writeFileSync(
    join(folder, "pyproject.toml"),
    '[project]\nname = "aech-cli-demo"\nversion = "0.1.0"\n[project.scripts]\naech-cli-demo = "aech_cli_demo.main:cli"\n',
  );
  writeFileSync(join(folder, "aech_cli_demo", "__init__.py"), "");
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(demoManifest));
}

export function writeNodeProject(folder: string): void {
  mkdirSync(folder);
  const command = "capstan-cli-other";
  const project = { name: command, version: "1.0.0", bin: { [command]: "main.mjs" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(project));
  writeFileSync(join(folder, "main.mjs"), "");
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ ...demoManifest, name: "other", command }));
}
