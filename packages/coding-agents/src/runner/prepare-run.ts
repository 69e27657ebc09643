/** Everything a run needs before its process starts: folders, the adapter's plan, files on disk, the command's path. */
import { randomBytes } from "node:crypto";
import { fail } from "@capstan/core";
import {
  type AdapterRun,
  type CodingAgentAdapter,
  type CodingAgentCapabilities,
  type NativeThinking,
  overTransport,
  type RunOptions,
  RunRefusedError,
} from "@capstan/core/internal";
import { cleanEnvironment } from "./clean-environment.ts";
import { findCommand } from "./find-command.ts";
import { type HomeFiles, homeOf, OWN_HOME } from "./home-files.ts";
import { giveFolder, placeAttachments, privateFolder, writeRunFiles } from "./private-folder.ts";

export interface RunRequest {
  readonly id: string;
  readonly adapter: CodingAgentAdapter;
  readonly options: RunOptions;
  /** The transport, and its capabilities. */
  readonly transport: string;
  readonly capabilities: CodingAgentCapabilities;
  /** The OS user it runs as; default: this process's own. */
  readonly user: SystemUser | undefined;
  /** The model as the CLI spells it. */
  readonly model: string | undefined;
  readonly thinking: NativeThinking;
  readonly nativeTools: "on" | "off";
  readonly ambient: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  /** Attachments by path only from `cwd`. */
  readonly confined: boolean;
}

/** The run over another transport, with what that one can do. */
export function overFallback<Request extends RunRequest>(request: Request, name: string): Request {
  const transport = request.adapter.transports?.find((known) => known.name === name);
  return { ...request, transport: name, capabilities: overTransport(request.capabilities, transport) };
}

/** A user of the operating system, by numbers. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

export interface PreparedRun {
  readonly plan: AdapterRun;
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The adapter's plan. Attachments are on disk afterwards. */
export async function planRun(request: RunRequest): Promise<AdapterRun> {
  const { id, adapter, options, thinking, nativeTools, model, cwd, home, transport, user } = request;
  const folder = privateFolder(id);
  return adapter.open(jsonWanted(options), {
    folder,
    cwd,
    home,
    transport,
    environment: environmentOf(request, {}),
    isRoot: (user?.uid ?? process.getuid?.()) === 0,
    freshSessionId: id,
    secret: randomBytes(24).toString("base64url"),
    nativeTools,
    model,
    thinking,
    attachments: await placeAttachments(options.attachments, folder, {
      agent: adapter.name,
      cwd,
      confined: request.confined,
    }),
  });
}

/** A plan made ready: its files written, its command found. */
export async function readyPlan(request: RunRequest, plan: AdapterRun): Promise<PreparedRun> {
  const { id, adapter, user } = request;
  const env = environmentOf(request, plan.env);
  const [name = adapter.commands[0]] = plan.argv;
  const names = name === adapter.commands[0] ? adapter.commands : [name];
  const command = await findCommand(names, env.PATH);
  if (command === undefined) {
    const install = adapter.capabilities.installMethods[0]?.command;
    const missing = { agent: adapter.name, command: name, install };
    throw new RunRefusedError(fail("coding_agent_not_installed", missing).failure);
  }
  checkWords(request, [...plan.argv, ...Object.entries(env).map(([key, value]) => `${key}=${value}`)]);
  await writeRunFiles(privateFolder(id), plan.files, homeFiles(user));
  if (user) await giveFolder(privateFolder(id), user);
  return { plan, command, env };
}

/** The size limit in bytes of one argument or variable on Linux; other systems allow more for one and less in total. */
const MAX_WORD_BYTES = 131_071;

/** What the system would refuse with E2BIG is refused here, with a next step. */
function checkWords({ adapter, transport }: RunRequest, words: readonly string[]): void {
  const refuse = (why: string): never => {
    throw new RunRefusedError(
      fail("coding_agent_text_refused", { agent: adapter.name, transport, why }).failure,
    );
  };
  for (const word of words) {
    const bytes = Buffer.byteLength(word);
    if (bytes > MAX_WORD_BYTES)
      refuse(`${bytes} bytes are more than the ${MAX_WORD_BYTES} that a command line holds`);
    if (word.includes("\0")) refuse("a command line cannot hold a null character");
  }
}

/** How files in the run's home are reached. */
export const homeFiles = (user: SystemUser | undefined): HomeFiles => (user ? homeOf(user) : OWN_HOME);

const environmentOf = ({ ambient, adapter, options, id }: RunRequest, more: AdapterRun["env"]) =>
  cleanEnvironment({ ambient, allowed: adapter.environment, adapter: more, asked: options.env, runId: id });

/** The CLIs' JSON modes concern their own output; the caller wants an answer that is JSON. */
function jsonWanted(options: RunOptions): RunOptions {
  // A schema is left to the program: it passes it to its model in its own way.
  if (options.outputFormat !== "json" || options.outputSchema !== undefined) return options;
  return { ...options, prompt: `${options.prompt}\n\nAnswer with one JSON document and nothing else.` };
}
