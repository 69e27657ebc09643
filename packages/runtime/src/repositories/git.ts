/**
 * Runs git on repositories whose files a program has written. Hooks and file monitors are off, nothing is asked, submodules
 * are not entered: a file of a worktree must not become a command of the server.
 */
import { spawn } from "node:child_process";
import { delimiter } from "node:path";
import { fail, ok, type Result } from "@capstan/core";

const TIMEOUT_MS = 120_000; // a first checkout of a large repository
const MOST_BYTES = 64 * 1024 * 1024;
const USUAL_PATH = ["/usr/local/bin", "/usr/bin", "/bin"].join(delimiter);
const MOST_ERROR_CHARS = 1000;

const SAFE: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "submodule.recurse=false",
  "diff.ignoreSubmodules=all",
  "protocol.allow=never",
  "gc.auto=0",
  "commit.gpgSign=false",
].flatMap((setting) => ["-c", setting]);

export interface GitOptions {
  /** Where git looks for the repository itself; else `gitDir` names it. */
  readonly cwd?: string | undefined;
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly indexFile?: string;
  readonly input?: string | Uint8Array;
  /** The author of commits. */
  readonly person?: string;
  /** Output beyond this is cut off. */
  readonly maxBytes?: number;
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly isCut: boolean;
}

export class Git {
  readonly #environment: Record<string, string>;

  constructor(environment: Readonly<Record<string, string>>) {
    const { PATH = "", HOME } = environment;
    this.#environment = {
      PATH: [PATH, USUAL_PATH].filter(Boolean).join(delimiter),
      ...(HOME !== undefined && { HOME }),
      LC_ALL: "C",
      GIT_TERMINAL_PROMPT: "0",
      GIT_OPTIONAL_LOCKS: "0",
      GIT_LITERAL_PATHSPECS: "1",
      // Unlike a setting, the variable overrides the repository's `protocol.<name>.allow`: nothing is fetched.
      GIT_ALLOW_PROTOCOL: "none",
      GIT_NO_LAZY_FETCH: "1",
    };
  }

  /** Resolves with any exit code; rejects only when git cannot be started or does not end. */
  answer(args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
    const { gitDir, workTree, cwd = workTree ?? gitDir } = options;
    const where = [
      ...(gitDir === undefined ? [] : [`--git-dir=${gitDir}`]),
      ...(workTree === undefined ? [] : [`--work-tree=${workTree}`]),
    ];
    const env = { ...this.#environment, ...personEnvironment(options) };
    return run([...SAFE, ...where, ...args], { ...options, cwd, env });
  }

  /** Its output as text, or its error message as a failure. */
  async text(args: readonly string[], options: GitOptions = {}): Promise<Result<string>> {
    const { code, stdout, stderr } = await this.answer(args, options);
    if (code === 0) return ok(stdout.toString("utf8"));
    return fail("folder_git_failed", {
      command: args[0] ?? "",
      output: plainError(stderr) || `code ${code}`,
    });
  }

  /** One line of output. */
  async line(args: readonly string[], options: GitOptions = {}): Promise<Result<string>> {
    const told = await this.text(args, options);
    return told.ok ? ok(told.value.trim()) : told;
  }
}

export const plainError = (stderr: string): string =>
  stderr
    .trim()
    .replace(/^(fatal|error): /gm, "")
    .slice(0, MOST_ERROR_CHARS);

/** The parts of output that is separated by NUL. */
export const parts = (output: Buffer | string): string[] =>
  output.toString("utf8").split("\0").filter(Boolean);

function personEnvironment({ person, indexFile }: GitOptions): Record<string, string> {
  return {
    ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }),
    ...(person !== undefined && {
      GIT_AUTHOR_NAME: person,
      GIT_AUTHOR_EMAIL: person,
      GIT_COMMITTER_NAME: person,
      GIT_COMMITTER_EMAIL: person,
    }),
  };
}

interface RunOptions extends GitOptions {
  readonly env: Record<string, string>;
}

function run(args: readonly string[], options: RunOptions): Promise<GitAnswer> {
  const { cwd, env, input, maxBytes = MOST_BYTES } = options;
  return new Promise((resolve, reject) => {
    const child = spawn("git", [...args], { cwd, env, timeout: TIMEOUT_MS, killSignal: "SIGKILL" });
    const out: Buffer[] = [];
    let size = 0;
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => {
      if (size < maxBytes) out.push(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (stderr.length < MOST_BYTES) stderr += chunk.toString("utf8");
    });
    child.on("error", reject);
    child.stdin.on("error", () => {}); // it ended before reading everything; its exit code says why
    child.on("close", (code, signal) => {
      if (signal !== null) return reject(new Error(`git ${args.at(-1)} was ended by ${signal}`));
      resolve({ code: code ?? 1, stdout: Buffer.concat(out), stderr, isCut: size > maxBytes });
    });
    child.stdin.end(input ?? "");
  });
}
