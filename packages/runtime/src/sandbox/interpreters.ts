/**
 * The location of each language's interpreter, and which files its child must be able to read. The interpreters are optional
 * dependencies: a missing one is a reason, not an error.
 */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { SandboxLanguage } from "@capstan/core";

interface InterpreterPackage {
  readonly name: string;
  /** Inside the package: what the child imports. */
  readonly file: string;
  /** Whether a child may serve several runs. A new QuickJS has fresh memory; the others keep too much state. */
  readonly reusable: boolean;
}

const PACKAGES: Readonly<Record<SandboxLanguage, InterpreterPackage>> = {
  javascript: { name: "quickjs-emscripten", file: "dist/index.mjs", reusable: true },
  python: { name: "pyodide", file: "pyodide.mjs", reusable: false },
  bash: { name: "just-bash", file: "dist/bundle/index.cjs", reusable: false },
};

export interface InstalledInterpreter {
  readonly entry: string;
  readonly readable: readonly string[];
  readonly reusable: boolean;
}

export type InterpreterSearch = InstalledInterpreter | { readonly missing: string };

/** `from` is the file whose `node_modules` are searched, as Node does. */
export function findInterpreter(language: SandboxLanguage, from: string): InterpreterSearch {
  const { name, file, reusable } = PACKAGES[language];
  const root = packageRoot(name, dirname(from));
  if (!root || !existsSync(join(root, file))) {
    return { missing: `the optional package ${name} is not installed (npm install ${name})` };
  }
  const entry = join(realpathSync(root), file);
  let readable: readonly string[] | undefined;
  return {
    entry,
    reusable,
    get readable() {
      readable ??= [...readablePaths(root)]; // reads a manifest per dependency, which only a child needs
      return readable;
    },
  };
}

/** The package and its dependencies: the child cannot read anything else in `node_modules`. */
function readablePaths(root: string): Set<string> {
  const readable = new Set<string>();
  const open = [root];
  for (let next = open.pop(); next; next = open.pop()) {
    const real = realpathSync(next);
    if (readable.has(real)) continue;
    for (const path of [next, real]) {
      readable.add(path);
      // For a scoped package Node also looks in `@scope/node_modules`; an unreadable path is an error to it, a missing one is not.
      readable.add(join(dirname(path), "node_modules"));
    }
    for (const dependency of dependenciesOf(real)) {
      const found = packageRoot(dependency, real);
      if (found) open.push(found);
    }
  }
  return readable;
}

function dependenciesOf(root: string): string[] {
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    dependencies?: Record<string, string>;
  };
  return Object.keys(manifest.dependencies ?? {});
}

function packageRoot(name: string, from: string): string | undefined {
  const lookIn = createRequire(join(from, "x.js")).resolve.paths(name) ?? [];
  return lookIn.map((folder) => join(folder, name)).find((path) => existsSync(join(path, "package.json")));
}
