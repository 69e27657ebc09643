/**
 * The direct and transitive dependencies of a wheel, each with its hash, by pip's own resolver and thus its own
 * evaluation of markers. pip is restricted to wheels from an index: `--only-binary` does not cover a dependency
 * given as a URL, so source archives and repositories are refused inside pip, before it would build or clone one.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { fail, ok, type Result } from "@capstan/core";
import { z } from "zod";
import type { CommandIsolation } from "../commands/command-isolation.ts";
import { hostsOf } from "../sources/operator-network.ts";
import { sha256Hex } from "./node-codec.ts";
import type { ResolvedDependencies } from "./package-kind.ts";
import type { Python } from "./python.ts";
import { runTool, type ToolRun, withStaging } from "./run-tool.ts";

const INSTALL_MS = 300_000; // a first download of several dependencies on a slow connection
const REFUSAL = "CAPSTAN_REFUSED";

/** Runs pip with both paths to foreign code disabled. A pip that has them elsewhere is not used. */
const WHEELS_ONLY = `
import sys
from pip._internal.distributions import sdist
from pip._internal.operations import prepare
from pip._internal.exceptions import InstallationError
def refuse_source(self, *args, **kwargs):
    raise InstallationError("${REFUSAL}: %s is source code, and only wheels are installed" % self.req)
def refuse_repository(link, *args, **kwargs):
    raise InstallationError("${REFUSAL}: %s is a repository, and only wheels are installed" % link)
assert hasattr(sdist.SourceDistribution, "prepare_distribution_metadata") and hasattr(prepare, "unpack_vcs_link")
sdist.SourceDistribution.prepare_distribution_metadata = refuse_source
prepare.unpack_vcs_link = refuse_repository
from pip._internal.cli.main import main
sys.exit(main(sys.argv[1:]))
`;

export interface PipParts {
  readonly python: Python;
  readonly isolation: CommandIsolation;
  /** Folders with wheels that are searched before any index. */
  readonly findLinks: readonly string[];
}

const Report = z.looseObject({
  install: z.array(
    z.looseObject({
      is_direct: z.boolean(),
      requested: z.boolean().optional(),
      download_info: z.looseObject({
        url: z.string(),
        archive_info: z
          .looseObject({ hashes: z.record(z.string(), z.string().regex(/^[0-9a-f]+$/)).optional() })
          .optional(),
      }),
      metadata: z.looseObject({ name: z.string(), version: z.string() }),
    }),
  ),
});

/** Only writes pip's report. */
export async function resolveWheel(
  wheel: { fileName: string; bytes: Uint8Array },
  parts: PipParts,
): Promise<Result<ResolvedDependencies>> {
  return withStaging(async (folder) => {
    const path = join(folder, wheel.fileName);
    const report = join(folder, "report.json");
    await writeFile(path, wheel.bytes);
    const words = ["install", "--dry-run", "--ignore-installed", "--report", report, path];
    const run = await pip(words, { folder, ...parts });
    if (!run.ok) return run;
    return readReport(await readFile(report, "utf8"), wheel.fileName, parts.findLinks);
  });
}

async function readReport(
  text: string,
  own: string,
  findLinks: readonly string[],
): Promise<Result<ResolvedDependencies>> {
  const report = Report.parse(JSON.parse(text));
  const list: { name: string; version: string; hash: string }[] = [];
  for (const { is_direct: isDirect, download_info: from, metadata } of report.install) {
    if (from.url.endsWith(`/${own}`) && from.url.startsWith("file://")) continue;
    const { name, version } = metadata;
    const hash = from.archive_info?.hashes?.sha256 ?? (await localHash(from.url, findLinks));
    if (isDirect)
      return refused(`${name} is given as the URL ${from.url}, which is not a version in an index`);
    if (!new URL(from.url).pathname.endsWith(".whl")) return refused(`${name} ${version} is not a wheel`);
    if (!hash) return refused(`the index has no SHA-256 for ${name} ${version}`);
    list.push({ name, version, hash: `sha256:${hash}` });
  }
  list.sort((a, b) => (a.name < b.name ? -1 : 1));
  const lock = list.map(({ name, version, hash }) => `${name}==${version} --hash=${hash}`).join("\n");
  return ok({ lock, list });
}

/** pip before 23.1 reports no hash for a wheel from a folder. Only the folders that were searched are read. */
async function localHash(url: string, findLinks: readonly string[]): Promise<string | undefined> {
  if (!url.startsWith("file://")) return undefined;
  const path = fileURLToPath(url);
  if (!findLinks.includes(dirname(path))) return undefined;
  return sha256Hex(await readFile(path));
}

/**
 * Creates `<folder>/venv` with the wheel and exactly the dependencies of the lock, in one run of pip: every start of an
 * environment's Python runs the `.pth` files of what is already installed in it.
 */
export async function placeWheel(
  wheel: { fileName: string; bytes: Uint8Array },
  { folder, dependencyLock = "" }: { folder: string; dependencyLock: string | undefined },
  parts: PipParts,
): Promise<Result<true>> {
  const path = join(folder, wheel.fileName);
  const list = join(folder, "requirements.txt");
  const venv = join(folder, "venv");
  await mkdir(folder, { recursive: true });
  await writeFile(path, wheel.bytes);
  const own = `${pathToFileURL(path)} --hash=sha256:${sha256Hex(wheel.bytes)}`;
  await writeFile(list, `${dependencyLock}\n${own}\n`);
  const words = ["install", "--no-deps", "--require-hashes", "--requirement", list];
  let settings = "";
  const prepare = async (): Promise<Result<true>> => {
    const made = await makeVenv(venv, folder, parts);
    if (made.ok) settings = await readFile(join(venv, PYTHON_SETTINGS), "utf8");
    return made;
  };
  const installed = await pip(words, { folder, venv, prepare, onlyLocal: dependencyLock === "", ...parts });
  if (!installed.ok) return installed;
  // A wheel may bring files for the environment itself, and these settings decide what its commands can read.
  const after = await readFile(join(venv, PYTHON_SETTINGS), "utf8").catch(() => undefined);
  return after === settings ? ok(true) : refused(`a wheel replaces ${PYTHON_SETTINGS} of its environment`);
}

const PYTHON_SETTINGS = "pyvenv.cfg";

async function makeVenv(
  venv: string,
  folder: string,
  { python, isolation }: PipParts,
): Promise<Result<true>> {
  await rm(venv, { recursive: true, force: true });
  const argv = [python.executable, "-I", "-m", "venv", "--without-pip", venv];
  const made = await runTool({ argv, folder, readable: python.files, timeoutMs: INSTALL_MS }, isolation);
  if (!made.ok) return made;
  return made.value.ok ? ok(true) : fail("python_venv_failed", { why: made.value.why });
}

interface PipRun extends PipParts {
  readonly folder: string;
  readonly venv?: string;
  /** Before each attempt. */
  readonly prepare?: () => Promise<Result<true>>;
  readonly onlyLocal?: boolean;
}

/** First only from the given folders; if something is missing, from the index too. */
async function pip(words: readonly string[], run: PipRun): Promise<Result<ToolRun>> {
  const { python, venv } = run;
  const into = venv === undefined ? [] : ["--python", join(venv, "bin", "python")];
  const fixed = ["--isolated", "--no-cache-dir", "--disable-pip-version-check", "--no-input"];
  const limits = ["--only-binary", ":all:", "--timeout", "30", "--retries", "1"];
  let why = "";
  for (const attempt of attemptsOf(run)) {
    const prepared = (await run.prepare?.()) ?? ok(true);
    if (!prepared.ok) return prepared;
    const own = [...fixed, ...into, ...words, ...limits, ...attempt];
    const request = {
      argv: [python.executable, "-I", "-c", WHEELS_ONLY, ...own],
      folder: run.folder,
      readable: [...python.files, ...run.findLinks],
      timeoutMs: INSTALL_MS,
      registries: hostsOf(python.index),
    };
    const done = await runTool(request, run.isolation);
    if (!done.ok || done.value.ok) return done;
    why = done.value.why;
    const said = new RegExp(`${REFUSAL}: ([^\\n]+?)(?: ERROR|$)`).exec(why)?.[1];
    if (said) return refused(said);
  }
  return fail("package_dependencies_missing", { manager: "pip", why });
}

function attemptsOf({ python, findLinks, isolation, onlyLocal = false }: PipRun): string[][] {
  const links = findLinks.flatMap((each) => ["--find-links", each]);
  if (onlyLocal) return [["--no-index"]];
  const index = isolation.organisation === undefined ? python.index : withoutProxyOption(python.index);
  return [...(links.length > 0 ? [["--no-index", ...links]] : []), [...links, ...index]];
}

/** In an organisation it uses the proxy of its network. */
const withoutProxyOption = (index: readonly string[]): string[] =>
  index.filter((word, at) => word !== "--proxy" && index[at - 1] !== "--proxy");

const refused = (why: string) => fail("archive_refused", { why });
