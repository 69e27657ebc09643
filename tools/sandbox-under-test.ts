/** One run of code in a sandbox, with what tests rarely change filled in. */
import type { SandboxLanguage, SandboxOutcome } from "../packages/core/src/index.ts";
import type { ManagedSandbox } from "../packages/runtime/src/index.ts";

export interface CodeOptions {
  files?: Record<string, string>;
  timeoutMs?: number;
  memoryMb?: number;
}

export function codeRequest(language: SandboxLanguage, code: string, options: CodeOptions = {}) {
  const { files = {}, timeoutMs = 20_000, memoryMb = 256 } = options;
  const mounted = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
  return { language, code, files: mounted, timeoutMs, memoryMb, signal: new AbortController().signal };
}

export async function runCode(
  sandbox: Pick<ManagedSandbox, "run">,
  language: SandboxLanguage,
  code: string,
  options: CodeOptions = {},
): Promise<SandboxOutcome> {
  const result = await sandbox.run(codeRequest(language, code, options));
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}
