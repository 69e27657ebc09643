/**
 * An installed command as a capability: each action of its manifest is a tool that runs the command.
 * Paths named by a model are the session's; they are mapped into the working folder and cannot leave it.
 */
import {
  type AnyTool,
  type Capability,
  fail,
  type Manifest,
  ok,
  type Result,
  type ToolContext,
} from "@capstan/core";
import { declaredFlow, isPath, normalisePath, type Parameter, semverOf } from "@capstan/core/internal";
import { type CommandIsolation, ownerOf, uidIn } from "../commands/command-isolation.ts";
import type { CommandLine } from "../commands/command-line.ts";
import type { FailedOutputs } from "../commands/failed-outputs.ts";
import { type CommandOutcome, runCommand } from "../commands/run-command.ts";
import type { PackageRecord } from "../db/schema/package-record.ts";
import { argumentVector, standardInput } from "./argument-vector.ts";
import { commandResult } from "./command-result.ts";
import { type ActionInput, type ManifestTool, manifestTools } from "./manifest-tools.ts";
import type { ServiceBreaker } from "./service-breaker.ts";
import { serviceHosts } from "./service-hosts.ts";
import { type FolderChanges, NO_CHANGES, type SessionFolders } from "./session-folders.ts";
import { prepareUserHome } from "./user-home.ts";

const MAX_OUTPUT_BYTES = 1024 * 1024; // the gate cuts further for the model; more than this is never readable text
const MAX_MEMORY_BYTES = 1024 * 1024 * 1024;
const SERVICE_PORT = 8080;
const COMMAND_PATH = "/usr/local/bin:/usr/bin:/bin";

export type SecretsFor = (capability: string, user: string | undefined) => Promise<Record<string, string>>;

export interface CliParts {
  /** The capability's secrets, by name. */
  readonly secretsFor: SecretsFor;
  readonly dataDir: string;
  readonly isolation: CommandIsolation;
  readonly folders: SessionFolders;
  readonly outputs: FailedOutputs;
  readonly breaker: ServiceBreaker;
  readonly commandLine: (record: PackageRecord, command: string) => Promise<Result<CommandLine>>;
  /** The address of a capability's service; undefined = by its container's name. */
  readonly serviceUrl: (capability: string) => string | undefined;
}

export function cliCapability(record: PackageRecord, manifest: Manifest, parts: CliParts): Capability {
  const { usage, examples } = manifest.documentation ?? {};
  const prompt = promptOf(manifest);
  return {
    id: manifest.name,
    name: titleOf(manifest.name),
    description: manifest.description,
    status: "available",
    version: semverOf(record.version),
    source: record.description.role === "rt" ? "rt" : "cli",
    risk: "medium",
    icon: record.description.role === "rt" ? "radio-tower" : "terminal",
    category: "Packages",
    ...(prompt && { systemPrompt: prompt }),
    tools: manifestTools(manifest).map((tool) => commandTool(tool, { record, manifest, parts })),
    dependencies: [],
    requiredScopes: manifest.required_scopes ?? [],
    routing: {
      tags: [...manifest.name.split(/[-_]/), ...(manifest.tags ?? []), ...(manifest.keywords ?? [])],
      ...(manifest.triggers && { triggers: manifest.triggers }),
      actions: manifest.actions.map(({ name }) => name.split(/[-_ ]/)[0] ?? name),
    },
    documentation: { ...(usage && { usage }), ...(examples && { examples }) },
  };
}

const PROMPT_CHARS = 8_000; // about 2k tokens; what an action does is in its own description

/** Usage, notes, outputs and examples, if the manifest has them. */
function promptOf({ documentation: { usage, notes, outputs, examples } = {} }: Manifest): string {
  const left = Object.entries(outputs ?? {}).map(([name, { path, description }]) =>
    [name, path && `at ${path}`, description].filter(Boolean).join(": "),
  );
  const section = (title: string, lines: readonly string[] = []) =>
    lines.length > 0 ? `${title}\n${lines.map((line) => `- ${line}`).join("\n")}` : "";
  const parts = [usage, section("Notes:", notes), section("Results:", left), section("Examples:", examples)];
  return parts.filter(Boolean).join("\n\n").slice(0, PROMPT_CHARS);
}

interface Command {
  readonly record: PackageRecord;
  readonly manifest: Manifest;
  readonly parts: CliParts;
}

function commandTool(tool: ManifestTool, command: Command): AnyTool {
  return {
    name: tool.name,
    description: tool.description,
    input: tool.input,
    policy: tool.requiresApproval ? "approve" : "auto",
    scopes: tool.scopes,
    connections: tool.connections,
    timeoutMs: tool.timeoutMs,
    idempotent: tool.idempotent,
    ...(tool.risk && { risk: tool.risk }),
    ...declaredFlow(tool),
    requiresContext: tool.worksOnFiles && !tool.readsStdin,
    runsElsewhere: true,
    run: (input: ActionInput, context) => call(tool, input, context, command),
  };
}

async function call(
  tool: ManifestTool,
  input: ActionInput,
  context: ToolContext,
  command: Command,
): Promise<Result<unknown>> {
  const { manifest, parts, record } = command;
  const inFolder = await pathsInFolder(tool, input, context);
  if (!inFolder.ok) return inFolder;
  const args = argumentVector(tool, inFolder.value);
  if (!args.ok) return args;
  const healthy = await checkService(manifest, parts);
  if (!healthy.ok) return healthy;
  const start = await parts.commandLine(record, manifest.command);
  if (!start.ok) return start;
  const uid = uidIn(parts.isolation, context.user.email);
  const owner = ownerOf(parts.isolation, uid);
  const home = await prepareUserHome(parts.dataDir, {
    email: context.user.email,
    capability: manifest.name,
    uid: owner,
  });
  if (!home.ok) return home;
  const accounts = context.connections ?? [];
  const tokens = Object.assign({}, ...accounts.map(({ environment }) => environment)) as Record<
    string,
    string
  >;
  const secrets = { ...(await parts.secretsFor(manifest.name, context.user.email)), ...tokens };
  const own = serviceHosts(manifest, parts.serviceUrl(manifest.name));
  const run = (folder: string, temporary: string) =>
    runCommand(
      {
        argv: [...start.value.argv, ...args.value],
        readable: start.value.readable,
        writable: [folder, temporary, home.value.home],
        cwd: folder,
        env: { ...secrets, ...environment(home.value.home, context, command), TMPDIR: temporary },
        timeoutMs: tool.timeoutMs,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        onFlood: "cut",
        maxMemoryBytes: MAX_MEMORY_BYTES,
        network: {
          hosts: own,
          // A token goes only to its provider and to the package's own service, whatever the package declares.
          ...(accounts.length > 0 && { only: [...own, ...accounts.flatMap(({ hosts }) => hosts)] }),
        },
        uid,
        stdin: standardInput(tool, input),
        signal: context.signal,
      },
      parts.isolation,
    );
  const ran = await runInFolder(run, context, owner, parts);
  if (!ran.ok) return ran;
  const { value: outcome, changes } = ran.value;
  if (!outcome.ok) return outcome;
  const clean = withoutSecrets(outcome.value, secrets);
  const outputId = await keepFailed(clean, { tool, manifest, owner: context.user.email, parts });
  return commandResult(tool, manifest.command, clean, changes, outputId);
}

interface FailedCall {
  readonly tool: ManifestTool;
  readonly manifest: Manifest;
  readonly owner: string;
  readonly parts: CliParts;
}

/** The failure names the last meaningful line; the whole output is kept for those who ask for it. */
async function keepFailed(
  { exit, code, stdout, stderr, cut }: CommandOutcome,
  { tool, manifest, owner, parts }: FailedCall,
): Promise<string | undefined> {
  if (exit !== "exited" || code === 0 || tool.exitCodes[code] !== undefined) return undefined;
  const command = [manifest.command, ...tool.subcommand].join(" ");
  const created_at = new Date().toISOString();
  return parts.outputs.keep({ owner, command, exit_code: code, stdout, stderr, cut, created_at });
}

const SHORTEST_SECRET = 6; // shorter ones would remove ordinary words

/** Some programs print their key in an error; events and answers must not contain it. */
function withoutSecrets(outcome: CommandOutcome, secrets: Readonly<Record<string, string>>): CommandOutcome {
  const values = Object.values(secrets).filter((value) => value.length >= SHORTEST_SECRET);
  const clean = (text: string) => values.reduce((shown, value) => shown.replaceAll(value, "[secret]"), text);
  return values.length === 0
    ? outcome
    : { ...outcome, stdout: clean(outcome.stdout), stderr: clean(outcome.stderr) };
}

/** Inside a session the command sees its files; without one it gets a temporary empty folder. */
function runInFolder(
  run: (folder: string, temporary: string) => Promise<Result<CommandOutcome>>,
  { sessionId, fileStore: files }: ToolContext,
  owner: number | undefined,
  { folders }: CliParts,
): Promise<Result<{ value: Result<CommandOutcome>; changes: FolderChanges }>> {
  const isWhole = (outcome: Result<CommandOutcome>) => outcome.ok && outcome.value.exit === "exited";
  return folders.throwaway(owner, async (temporary) => {
    if (sessionId !== undefined && files) {
      return folders.use({ sessionId, files, owner, isWhole }, (folder) => run(folder, temporary));
    }
    return folders.throwaway(owner, async (folder) =>
      ok({ value: await run(folder, temporary), changes: NO_CHANGES }),
    );
  });
}

/** `/docs/a.pdf` of the session is `docs/a.pdf` in the folder; paths that lead out of it are refused. */
async function pathsInFolder(
  tool: ManifestTool,
  input: ActionInput,
  context: ToolContext,
): Promise<Result<ActionInput>> {
  const changed: Record<string, unknown> = { ...input };
  for (const parameter of tool.parameters) {
    const value = input[parameter.key];
    const isSessionPath = isPath(parameter) || (await namesSessionFile(value, context));
    if (!isSessionPath && isSystemPath(value)) return fail("path_outside_session", { path: String(value) });
    if (!isSessionPath || value === undefined) continue;
    const inside = context.fileStore
      ? pathValue(parameter, value)
      : fail("session_required", { tool: tool.name });
    if (!inside.ok) return inside;
    changed[parameter.key] = inside.value;
  }
  return ok(changed);
}

/** Any argument that is the path of a file in the session refers to that file. */
async function namesSessionFile(value: unknown, { fileStore }: ToolContext): Promise<boolean> {
  if (typeof value !== "string" || !value.startsWith("/") || value.length > 1000) return false;
  return (await fileStore?.stat(value))?.ok ?? false;
}

/** A path of the machine. Not every text that starts with a slash is one: `/v1/users` may be meant for a service. */
const SYSTEM_PATH =
  /^(~\/|file:|\/(etc|usr|var|home|root|tmp|proc|sys|dev|opt|mnt|media|srv|run|boot|bin|sbin|lib\w*|Users|private)(\/|$))/;
const isSystemPath = (value: unknown): boolean => typeof value === "string" && SYSTEM_PATH.test(value);

function pathValue(parameter: Parameter, value: unknown): Result<unknown> {
  if (Array.isArray(value)) {
    const all = value.map((each) => pathValue(parameter, each));
    const refused = all.find((each) => !each.ok);
    return refused ?? ok(all.map((each) => (each.ok ? each.value : undefined)));
  }
  if (typeof value !== "string") return ok(value);
  const normal = normalisePath(value.startsWith("/") ? value : `/${value}`);
  return normal.ok ? ok(normal.value === "/" ? "." : normal.value.slice(1)) : normal;
}

async function checkService(manifest: Manifest, parts: CliParts): Promise<Result<true>> {
  const { service } = manifest;
  if (
    !service ||
    service.pattern === "file" ||
    (service.port === undefined && service.health_endpoint === undefined)
  )
    return ok(true);
  const url = new URL(service.health_endpoint ?? "/health", serviceUrlOf(manifest, parts));
  return parts.breaker.check(service.container, url.href);
}

function serviceUrlOf({ name, service }: Manifest, { serviceUrl }: CliParts): string {
  const byName = `http://${service?.container ?? `aech-rt-${name}`}:${service?.port ?? SERVICE_PORT}`;
  return serviceUrl(name) ?? byName;
}

function environment(
  home: string,
  { user, sessionId, idempotencyKey }: ToolContext,
  { manifest, parts }: Command,
): Record<string, string> {
  return {
    PATH: COMMAND_PATH,
    HOME: home,
    LANG: "C.UTF-8",
    PYTHONDONTWRITEBYTECODE: "1",
    DELEGATED_USER: user.email,
    SERVICE_URL: serviceUrlOf(manifest, parts),
    CAPSTAN_IDEMPOTENCY_KEY: idempotencyKey,
    ...(sessionId !== undefined && { CAPSTAN_SESSION_ID: sessionId }),
  };
}

function titleOf(name: string): string {
  const words = name.replaceAll(/[-_]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
