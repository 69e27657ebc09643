/** Everything a run needs before its process starts: the place, the adapter's plan, files on disk, the command's path. */
import type { AdapterRun, CodingAgentAdapter, NativeThinking, RunOptions } from "@capstan/core/internal";
import { cleanEnvironment } from "./clean-environment.ts";
import { findCommand } from "./find-command.ts";
import { placeAttachments, privateFolder, writeRunFiles } from "./private-folder.ts";

export interface RunRequest {
  readonly id: string;
  readonly adapter: CodingAgentAdapter;
  readonly options: RunOptions;
  /** The model as the CLI spells it. */
  readonly model: string | undefined;
  readonly thinking: NativeThinking;
  readonly nativeTools: "on" | "off";
  readonly ambient: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
}

export interface PreparedRun {
  readonly plan: AdapterRun;
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The adapter's plan. Attachments are on disk afterwards. */
export async function planRun(request: RunRequest): Promise<AdapterRun> {
  const { id, adapter, options, thinking, nativeTools, model, cwd, home } = request;
  const folder = privateFolder(id);
  return adapter.open(jsonWanted(options), {
    folder,
    cwd,
    home,
    isRoot: process.getuid?.() === 0,
    freshSessionId: id,
    nativeTools,
    model,
    thinking,
    attachments: await placeAttachments(options.attachments, folder, cwd),
  });
}

/** A plan made ready: its files written, its command found. */
export async function readyPlan(
  request: RunRequest,
  plan: AdapterRun,
): Promise<PreparedRun | { missing: string }> {
  const { id, adapter, ambient, options } = request;
  const env = cleanEnvironment({
    ambient,
    allowed: adapter.environment,
    adapter: plan.env,
    asked: options.env,
    runId: id,
  });
  const [name = adapter.commands[0]] = plan.argv;
  const names = name === adapter.commands[0] ? adapter.commands : [name];
  const command = await findCommand(names, env.PATH);
  if (command === undefined) return { missing: name };
  await writeRunFiles(privateFolder(id), plan.files);
  return { plan, command, env };
}

/** The CLIs' JSON modes are about their own envelope; what the caller wants is an answer that is JSON. */
function jsonWanted(options: RunOptions): RunOptions {
  if (options.outputFormat !== "json") return options;
  return { ...options, prompt: `${options.prompt}\n\nAnswer with one JSON document and nothing else.` };
}
