/**
 * Where fresh model lists come from: the CLI itself where it has a list, else the provider behind it.
 *
 * The effects (commands, network, environment, clock) are passed in; each fetch is bounded in time and size.
 */
import type { ModelSnapshot } from "@capstan/core/internal";
import type { CommandOptions, CommandRunner } from "../command/run-command.ts";
import {
  ModelListError,
  readAnthropicModels,
  readCodexModels,
  readGoogleModels,
  readOpenaiModels,
  readOpenrouterModels,
} from "./read-model-lists.ts";
import type { RemoteModel } from "./remote-model.ts";

export interface RefreshEffects {
  readonly run: CommandRunner;
  readonly fetch: typeof globalThis.fetch;
  /** The whole environment commands get, and where keys and base addresses are looked up. */
  readonly env: Readonly<Record<string, string>>;
  readonly now: () => Date;
}

const COMMAND_TIMEOUT_MS = 60_000; // OpenClaw alone needs up to 25 s to start
const FETCH_TIMEOUT_MS = 20_000;
const MAX_BODY_BYTES = 8_000_000; // OpenRouter's list, the longest, is about 1 MB

/** Asks for the models of an agent; throws `ModelListError` when it cannot. */
export type ModelSource = (effects: RefreshEffects, current: ModelSnapshot) => Promise<RemoteModel[]>;

/** The list that a command of the agent prints. */
export function commandModels(argv: readonly string[], read: (stdout: string) => RemoteModel[]): ModelSource {
  return async (effects) => read(await outputOf(effects, argv));
}

async function outputOf(
  effects: RefreshEffects,
  argv: readonly string[],
  more: Partial<CommandOptions> = {},
) {
  const name = argv.join(" ");
  const result = await effects.run(argv, { env: effects.env, timeoutMs: COMMAND_TIMEOUT_MS, ...more });
  if (result.outcome === "not_found") throw new ModelListError(name, "the command is not installed");
  if (result.outcome === "stopped" || (result.outcome === "exited" && result.code === 0))
    return result.stdout;
  const why =
    result.outcome === "exited" ? `it exited with ${result.code}` : result.outcome.replace("_", " ");
  throw new ModelListError(name, `${why}: ${result.stderr.trim().slice(-300)}`);
}

const CODEX_REQUEST = 2;

export async function codexAppServer(effects: RefreshEffects): Promise<RemoteModel[]> {
  const clientInfo = { name: "capstan", version: "0.1.0" };
  const stdout = await outputOf(effects, ["codex", "app-server"], {
    input: [
      JSON.stringify({ id: 1, method: "initialize", params: { clientInfo } }),
      JSON.stringify({ method: "initialized" }),
      JSON.stringify({ id: CODEX_REQUEST, method: "model/list", params: {} }),
    ],
    until: (line) => line.includes(`"id":${CODEX_REQUEST},`),
  });
  return readCodexModels(stdout, CODEX_REQUEST);
}

async function anthropic(effects: RefreshEffects, prefix: string): Promise<RemoteModel[]> {
  const key = needed(effects, "Anthropic", "ANTHROPIC_API_KEY");
  const base = baseOf(effects.env.ANTHROPIC_BASE_URL, "https://api.anthropic.com").replace(/\/v1$/, "");
  const url = `${base}/v1/models?limit=1000`;
  return readAnthropicModels(
    await get(effects, url, { "x-api-key": key, "anthropic-version": "2023-06-01" }),
    prefix,
  );
}

async function openai(effects: RefreshEffects, prefix: string): Promise<RemoteModel[]> {
  const key = needed(effects, "OpenAI", "OPENAI_API_KEY");
  const url = `${baseOf(effects.env.OPENAI_BASE_URL, "https://api.openai.com/v1")}/models`;
  return readOpenaiModels(await get(effects, url, { authorization: `Bearer ${key}` }), prefix);
}

async function google(effects: RefreshEffects, prefix: string): Promise<RemoteModel[]> {
  const key = needed(effects, "Google", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY");
  const base = baseOf(effects.env.GOOGLE_GEMINI_BASE_URL, "https://generativelanguage.googleapis.com");
  const url = `${base}/v1beta/models?pageSize=1000`;
  return readGoogleModels(await get(effects, url, { "x-goog-api-key": key }), prefix);
}

export const anthropicModels: ModelSource = (effects) => anthropic(effects, "");
export const googleModels: ModelSource = (effects) => google(effects, "");
export const openrouterModels: ModelSource = async (effects) =>
  readOpenrouterModels(await get(effects, openrouterUrl(effects.env), {}));

/** All providers that have a key; what has none keeps its bundled models, and so does the offline model. */
export async function everyProvider(effects: RefreshEffects, current: ModelSnapshot): Promise<RemoteModel[]> {
  const withKey = [
    { fetchModels: anthropic, prefix: "anthropic/", keys: ["ANTHROPIC_API_KEY"] },
    { fetchModels: openai, prefix: "openai/", keys: ["OPENAI_API_KEY"] },
    { fetchModels: google, prefix: "google/", keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"] },
  ].filter(({ keys }) => keys.some((key) => effects.env[key]));
  if (withKey.length === 0) throw new ModelListError("native", "no provider has a key");
  const lists = await Promise.all(withKey.map(({ fetchModels, prefix }) => fetchModels(effects, prefix)));
  const others = current.models.filter(
    ({ modelId }) => !withKey.some(({ prefix }) => modelId.startsWith(prefix)),
  );
  return [...others.map(({ modelId }) => ({ id: modelId, isUnchanged: true })), ...lists.flat()];
}

const openrouterUrl = (env: RefreshEffects["env"]) =>
  `${baseOf(env.OPENROUTER_BASE_URL, "https://openrouter.ai/api/v1")}/models`;
const baseOf = (url: string | undefined, usual: string) => (url ?? usual).replace(/\/+$/, "");

function needed({ env }: RefreshEffects, provider: string, ...names: readonly string[]): string {
  const value = names.map((name) => env[name]).find(Boolean);
  if (!value) throw new ModelListError(provider, `none of ${names.join(", ")} is set`);
  return value;
}

async function get(effects: RefreshEffects, url: string, headers: Record<string, string>): Promise<string> {
  const { host } = new URL(url);
  const signal = AbortSignal.timeout(FETCH_TIMEOUT_MS);
  const response = await effects
    .fetch(url, { headers, signal, redirect: "error" })
    .catch((cause: unknown) => {
      throw new ModelListError(
        host,
        `it could not be reached (${cause instanceof Error ? cause.message : cause})`,
      );
    });
  if (!response.ok) throw new ModelListError(host, `it answered ${response.status}`);
  return cappedText(response, host);
}

async function cappedText(response: Response, host: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES)
      throw new ModelListError(host, `the answer is larger than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
