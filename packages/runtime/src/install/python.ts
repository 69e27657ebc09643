/**
 * Finds a Python, and puts a wheel into a virtual environment of its own.
 * pip may only take wheels (`--only-binary`), so nothing of a package runs while it is installed.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { asUser, type CommandIsolation, runs } from "../commands/command-isolation.ts";
import { runTool } from "./trusted-tool.ts";

const PROBE_MS = 20_000;
const INSTALL_MS = 300_000; // a first download of several dependencies on a slow line
const ANY_UID = 100_000_000;

export interface Python {
  readonly executable: string;
  /** pip's `--python` (22.3) makes an environment without a pip of its own: 0.2 s instead of seconds. */
  readonly hasPip: boolean;
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

/** The first Python 3.9 or later on the path; as root, one that other users can start goes before one they cannot. */
export async function findPython(
  env: Readonly<Record<string, string>>,
  isolation: CommandIsolation,
): Promise<Result<Python>> {
  let fallback: Python | undefined;
  for (const folder of (env.PATH ?? "").split(delimiter).filter(Boolean)) {
    const python = await probe(join(folder, "python3"), env);
    if (!python) continue;
    if (!isolation.separateUsers || (await runs([...asUser(ANY_UID), python.executable, "-c", "0"])))
      return ok(python);
    fallback ??= python;
  }
  return fallback ? ok(fallback) : fail("python_missing", {});
}

async function probe(executable: string, env: Readonly<Record<string, string>>): Promise<Python | undefined> {
  const { ok: ran, stdout } = await runTool([executable, "-c", PROBE], { env, timeoutMs: PROBE_MS });
  if (!ran) return undefined;
  const found = JSON.parse(stdout) as { executable: string; python: [number, number]; pip: [number, number] };
  const [major, minor] = found.python;
  if (major < 3 || (major === 3 && minor < 9)) return undefined;
  const [pipMajor, pipMinor] = found.pip;
  return { executable: found.executable, hasPip: pipMajor > 22 || (pipMajor === 22 && pipMinor >= 3) };
}

export interface WheelPlace {
  readonly python: Python;
  readonly env: Readonly<Record<string, string>>;
  readonly fileName: string;
  readonly bytes: Uint8Array;
  readonly folder: string;
  readonly needsDependencies: boolean;
  /** Folders with wheels to take dependencies from before any index is asked. */
  readonly findLinks: readonly string[];
  readonly dependencyLock?: string | undefined;
}

/** Makes `<folder>/venv` with the wheel in it; answers the exact versions of what came with it. */
export async function placeWheel(place: WheelPlace): Promise<Result<{ dependencyLock?: string }>> {
  const { python, env, folder } = place;
  const venv = join(folder, "venv");
  const wheel = join(folder, place.fileName);
  await mkdir(folder, { recursive: true });
  await writeFile(wheel, place.bytes);
  const options = python.hasPip ? ["--without-pip"] : [];
  const made = await runTool([python.executable, "-m", "venv", ...options, venv], {
    env,
    timeoutMs: INSTALL_MS,
  });
  if (!made.ok) return fail("python_venv_failed", { why: made.why });
  const inside = join(venv, "bin", "python");
  const pip = python.hasPip
    ? [python.executable, "-m", "pip", "--python", inside, "--disable-pip-version-check"]
    : [inside, "-m", "pip", "--disable-pip-version-check"];
  const installed = await installWheel(place, pip, wheel);
  if (!installed.ok) return installed;
  if (!place.needsDependencies) return ok({});
  const frozen = await runTool([...pip, "freeze", "--exclude", "pip"], { env, timeoutMs: PROBE_MS });
  const pins = frozen.stdout.split("\n").filter((line) => /^[A-Za-z0-9._-]+==/.test(line));
  return ok({ dependencyLock: pins.join("\n") });
}

/** Without dependencies nothing is looked up; with them the given folders come first, then the configured index. */
async function installWheel(place: WheelPlace, pip: readonly string[], wheel: string): Promise<Result<true>> {
  const { env, folder, findLinks } = place;
  const install = [
    ...pip,
    "install",
    "--no-input",
    "--only-binary",
    ":all:",
    "--timeout",
    "30",
    "--retries",
    "1",
  ];
  const attempts: string[][] = [];
  if (!place.needsDependencies) attempts.push(["--isolated", "--no-index", "--no-deps", wheel]);
  else {
    const pins = place.dependencyLock ? ["--constraint", join(folder, "constraints.txt")] : [];
    if (place.dependencyLock) await writeFile(join(folder, "constraints.txt"), place.dependencyLock);
    const links = findLinks.flatMap((each) => ["--find-links", each]);
    attempts.push(["--no-index", ...links, ...pins, wheel], [...links, ...pins, wheel]);
  }
  let why = "";
  for (const attempt of attempts) {
    const run = await runTool([...install, ...attempt], { env, timeoutMs: INSTALL_MS });
    if (run.ok) return ok(true);
    why = run.why;
  }
  return fail("package_dependencies_missing", { manager: "pip", why });
}
