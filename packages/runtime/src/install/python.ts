/** Finds a Python that packages can use, and the index of its pip. */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fail, ok, type Result } from "@capstan/core";
import { type CommandIsolation, runs, setUser } from "../commands/command-isolation.ts";
import { interpreterFiles } from "../commands/program-files.ts";
import { withoutPassword } from "../sources/operator-network.ts";
import { askOperator, withStaging } from "./run-tool.ts";

const PROBE_MS = 20_000;
const ANY_UID = 100_000_000;

export interface Python {
  readonly executable: string;
  /** pip options for the index, from the operator's own settings; without passwords. */
  readonly index: readonly string[];
  /** What a confined command must be able to read to start it. */
  readonly files: readonly string[];
}

const PROBE = `
import json, sys
try:
    import pip
    version = [int(part) for part in pip.__version__.split(".")[:2]]
except Exception:
    version = [0, 0]
import venv
print(json.dumps({"executable": sys.executable, "python": list(sys.version_info[:2]), "pip": version}))
`;

/** The first Python 3.9 or later with pip 23 on the PATH that packages can start here. */
export async function findPython(
  env: Readonly<Record<string, string>>,
  isolation: CommandIsolation,
): Promise<Result<Python>> {
  let closed: string | undefined;
  for (const folder of (env.PATH ?? "").split(delimiter).filter(Boolean)) {
    const executable = await probe(join(folder, "python3"), env);
    if (executable === undefined) continue;
    if (await isReachable(executable, isolation)) {
      const index = await indexOptions(executable, env);
      return ok({ executable, index, files: [...interpreterFiles(executable), ...localPaths(index)] });
    }
    closed ??= executable;
  }
  return closed ? fail("package_unreachable", { path: closed }) : fail("python_missing", {});
}

/** With a private file system any is; otherwise the other user needs access to its folders. */
const isReachable = async (executable: string, isolation: CommandIsolation): Promise<boolean> =>
  isolation.privateRoot ||
  !isolation.changesUser ||
  runs([...setUser(isolation, ANY_UID), executable, "-c", "0"]);

async function probe(executable: string, env: Readonly<Record<string, string>>): Promise<string | undefined> {
  const { ok: ran, stdout } = await withStaging((cwd) =>
    askOperator([executable, "-c", PROBE], { env, cwd, timeoutMs: PROBE_MS }),
  );
  if (!ran) return undefined;
  const found = JSON.parse(stdout) as { executable: string; python: [number, number]; pip: [number, number] };
  const [major, minor] = found.python;
  if (major < 3 || (major === 3 && minor < 9)) return undefined;
  return found.pip[0] >= 23 ? found.executable : undefined; // 22.3 brings --python, 23.0 --report with hashes
}

/** pip's settings for the index, and how to reach it. */
const KEPT_OPTION =
  /^[\w:-]+\.(index-url|extra-index-url|find-links|no-index|trusted-host|proxy|cert)='(.*)'$/;

async function indexOptions(executable: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const listed = await withStaging((cwd) =>
    askOperator([executable, "-m", "pip", "config", "list"], { env, cwd, timeoutMs: PROBE_MS }),
  );
  const found = new Map<string, string>();
  for (const line of listed.stdout.split("\n")) {
    const [, name, value = ""] = KEPT_OPTION.exec(line.trim()) ?? [];
    if (name && !found.has(name)) found.set(name, value); // the environment comes first and takes precedence
  }
  return [...found].flatMap(([name, value]) => {
    if (name === "no-index") return /^(1|true|yes|on)$/i.test(value) ? ["--no-index"] : [];
    const values = value.split(/\\n|\s+/).filter(Boolean);
    return values.flatMap((each) => [`--${name}`, withoutPassword(each)]);
  });
}

/** An index, wheels or certificates on this machine. */
const localPaths = (index: readonly string[]): string[] =>
  index.flatMap((word) => {
    if (word.startsWith("file://")) return [dirname(fileURLToPath(word))]; // its pages link to files beside it
    return isAbsolute(word) ? [word] : [];
  });

/** A virtual environment has no libraries of its own: they are where its Python was installed. */
export async function pythonFiles(venv: string): Promise<string[]> {
  const text = await readFile(join(venv, "pyvenv.cfg"), "utf8").catch(() => "");
  const home = /^home\s*=\s*(.+)$/m.exec(text)?.[1]?.trim();
  const python = join(home ?? "", "python3");
  return home === undefined || !existsSync(python)
    ? []
    : [join(dirname(home), "lib"), ...interpreterFiles(python)];
}
