/**
 * sandbox: runs code with access to the session's files. The isolation is not here: `context.sandbox` is the only way in.
 *
 * Risk is medium and the policy auto, although it runs untrusted code: the code has no network, no rights and a time limit,
 * and can only change the session's own files, which the file tools also change without approval.
 */
import {
  type Capability,
  defineCapability,
  defineTool,
  fail,
  ok,
  type Sandbox,
  type SandboxLanguage,
  type SandboxOutcome,
  type SessionFileStore,
} from "@capstan/core";
import { z } from "zod";
import { mountFiles } from "./sandbox-files.ts";

export const SANDBOX = "sandbox";

const LANGUAGES: readonly SandboxLanguage[] = ["javascript", "python", "bash"];
const MEMORY_MB = 256;
const START_MS = 60_000; // a cold Python start on a busy machine; loading the interpreter does not count towards the code's own time limit
const MAX_SECONDS = 120;

/** `interpreters` lists the languages that work here; without it (a catalog printed without a server) all are offered. */
export function sandboxCapability(interpreters: Pick<Sandbox, "unavailable"> = allLanguages): Capability {
  const offered = LANGUAGES.filter((language) => interpreters.unavailable(language) === undefined);
  return defineCapability({
    id: SANDBOX,
    name: "Sandbox",
    description: "Sandboxed code execution environment.",
    risk: "medium",
    icon: "box",
    category: "Execution",
    systemPrompt:
      "You can execute code in a sandboxed environment. Use the execute_code tool to run code safely.",
    tools: [executeCode(offered, offered.length === 0 ? whyNone(interpreters) : undefined)],
    routing: {
      triggers: [
        "run this code",
        "execute a script",
        "run python",
        "compute with code",
        "evaluate javascript",
      ],
      tags: ["code", "python", "javascript", "bash", "script", "compute"],
      domain: "execution",
      actions: ["run", "execute", "compute", "evaluate"],
    },
  });
}

const ABOUT = `Run code away from the network. The session's files are there under their own paths, the working directory is /, and files the code writes, changes or deletes are kept.
javascript: QuickJS, a script with top-level await; its last value is the result; fs and path are there.
python: CPython with its standard library and no packages; the value of the last line is the result.
bash: common commands (grep, sed, awk, jq, sort, tar, ...) over the same files.`;

function executeCode(offered: readonly SandboxLanguage[], unavailable: string | undefined) {
  return defineTool({
    name: "execute_code",
    risk: "write",
    writes: "internal",
    description: ABOUT,
    input: z.object({
      language: z.enum(offered.length > 0 ? offered : LANGUAGES).describe("The language of the code."),
      code: z.string().min(1).max(1_000_000).describe("The program."),
      timeout_seconds: z.number().min(0.1).max(MAX_SECONDS).default(30).describe("Timeout."),
      files: z
        .array(z.string())
        .optional()
        .describe("Files and directories to mount; default: all of the session's."),
    }),
    output: z.object({
      exit: z.enum(["done", "error", "timeout", "memory", "killed"]),
      exit_code: z.int(),
      stdout: z.string(),
      stderr: z.string(),
      result: z.unknown().optional(),
      files_changed: z.array(z.object({ path: z.string(), size_bytes: z.int(), deleted: z.boolean() })),
      files_not_kept: z.array(z.object({ path: z.string(), why: z.string() })),
      duration_ms: z.int(),
    }),
    timeoutMs: START_MS + (MAX_SECONDS + 5) * 1000,
    runsCode: { sandboxed: true },
    readsFiles: true,
    unavailable,
    async run({ language, code, timeout_seconds, files }, { sandbox, fileStore, signal }) {
      if (!sandbox) return fail("sandbox_unavailable", { language, why: "this server has none" });
      const mounted = await mountFiles(fileStore, files);
      if (!mounted.ok) return mounted;
      const timeoutMs = timeout_seconds * 1000;
      const ran = await sandbox.run({
        language,
        code,
        files: mounted.value,
        timeoutMs,
        memoryMb: MEMORY_MB,
        signal,
      });
      if (!ran.ok) return ran;
      if (ran.value.exit === "killed" && signal.aborted) return fail("cancelled", { what: "The code" });
      return ok(await answer(ran.value, fileStore));
    },
  });
}

async function answer(outcome: SandboxOutcome, fileStore: SessionFileStore | undefined) {
  const { exit, exitCode, stdout, stderr, result, changed, durationMs } = outcome;
  return {
    exit,
    exit_code: exitCode,
    stdout,
    stderr,
    ...(result !== undefined && { result }),
    ...(await keepFiles(changed, fileStore)),
    duration_ms: Math.round(durationMs),
  };
}

/** Saves files one by one: a read-only or too large file is reported, and does not affect the others. */
async function keepFiles(changed: SandboxOutcome["changed"], fileStore: SessionFileStore | undefined) {
  const files_changed: { path: string; size_bytes: number; deleted: boolean }[] = [];
  const files_not_kept: { path: string; why: string }[] = [];
  for (const [path, content] of changed) {
    const kept = await keepFile(path, content, fileStore);
    if (kept.ok)
      files_changed.push({ path, size_bytes: content?.byteLength ?? 0, deleted: content === null });
    else files_not_kept.push({ path, why: kept.failure.message });
  }
  return { files_changed, files_not_kept };
}

function keepFile(path: string, content: Uint8Array | null, fileStore: SessionFileStore | undefined) {
  if (!fileStore) return fail("session_required", { tool: "execute_code" });
  return content === null ? fileStore.delete(path) : fileStore.write(path, content);
}

function whyNone(interpreters: Pick<Sandbox, "unavailable">): string {
  return LANGUAGES.map((language) => `${language}: ${interpreters.unavailable(language)}`).join("; ");
}

const allLanguages: Pick<Sandbox, "unavailable"> = { unavailable: () => undefined };
