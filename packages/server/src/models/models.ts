/** Which model answers: the agent's, else the operator's, else the first provider with a key, else the offline demo. */
import { offlineModel } from "@capstan/builtins";
import { createModelRegistry, type ModelRegistry, NATIVE_AGENT } from "@capstan/core/internal";
import { type Models, openModels, type ResolvedModel } from "@capstan/runtime";
import type { Settings } from "../settings/settings.ts";
import type { Providers } from "./providers.ts";

export const OFFLINE = "capstan/offline";
export const OFFLINE_LABEL = "capstan/offline (demo)";

/** A good model of each provider, for agents that name none. */
const PREFERRED: Record<string, string> = {
  anthropic: "anthropic/claude-sonnet-5-5",
  openai: "openai/gpt-6.1-sol",
  google: "google/gemini-3.8-flash",
};

const DEFAULT_KEPT_MS = 500; // every step of an agent without a model asks; a new key is in force within a second

export interface ServerModels extends Models {
  /** Every model we know; read at the first question. */
  readonly registry: () => Promise<ModelRegistry>;
  /** The model of agents that name none, and how people read it. */
  defaultModel(): Promise<{ name: string; label: string; demo: boolean }>;
}

export function openServerModels(
  settings: Settings,
  providers: Providers,
  own: Readonly<Record<string, ResolvedModel>> = {},
): ServerModels {
  let listed: Promise<ModelRegistry> | undefined;
  const registry = () => (listed ??= openRegistry());
  const builtIn = { ...own, [OFFLINE]: offlineEntry() };
  const defaultName = keptFor(DEFAULT_KEPT_MS, async (): Promise<string> => {
    if (settings.CAPSTAN_MODEL) return settings.CAPSTAN_MODEL;
    const states = await providers.list();
    const configured = states.find(({ provider, configured }) => configured && PREFERRED[provider]);
    return (configured && PREFERRED[configured.provider]) ?? OFFLINE;
  });
  const models = openModels({
    credentials: (provider) => providers.credentials(provider),
    catalog: async (name) => (await registry()).validate(NATIVE_AGENT, name),
    defaultModel: OFFLINE,
    builtIn,
    compatible: ["openai-compatible", "localai"],
  });
  return {
    registry,
    resolve: async (name) => models.resolve(name ?? (await defaultName())),
    check: async (name) => models.check(name ?? (await defaultName())),
    async defaultModel() {
      const name = await defaultName();
      return { name, label: name === OFFLINE ? OFFLINE_LABEL : name, demo: name === OFFLINE };
    },
  };
}

async function openRegistry(): Promise<ModelRegistry> {
  const { MODEL_SNAPSHOTS } = await import("@capstan/coding-agents");
  return createModelRegistry({ snapshots: MODEL_SNAPSHOTS, now: () => new Date() });
}

function keptFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let kept: { at: number; value: Promise<T> } | undefined;
  return () => {
    if (kept && performance.now() - kept.at < ms) return kept.value;
    const value = read();
    kept = { at: performance.now(), value };
    value.catch(() => {
      kept = undefined;
    });
    return value;
  };
}

function offlineEntry(): ResolvedModel {
  return {
    name: OFFLINE,
    label: OFFLINE_LABEL,
    provider: "capstan",
    modelId: "offline",
    model: offlineModel(),
    contextWindow: 100_000,
    inputs: { image: false, audio: false, video: false, pdf: false },
    jsonWithTools: true,
  };
}
