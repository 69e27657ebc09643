/** The catalog with the server's own parts: the configured model, web search, media, a local AI server and stored documents. */
import { createHmac } from "node:crypto";
import {
  type CatalogParts,
  type CatalogSpender,
  catalogCapabilities,
  type LocalAi,
  type SearchSettings,
  searchWeb,
} from "@capstan/builtins";
import { type Capability, fail, type GuardedFetch, ok, type Result } from "@capstan/core";
import {
  createMediaMaker,
  type Database,
  documentStore,
  type GenerateParts,
  generate,
  withinBudget,
} from "@capstan/runtime";
import type { ServerModels } from "../models/models.ts";
import type { Providers } from "../models/providers.ts";
import type { Settings } from "../settings/settings.ts";

export interface CatalogSources {
  readonly settings: Settings;
  readonly database: Database;
  readonly models: ServerModels;
  readonly providers: Providers;
  readonly fetch: GuardedFetch;
  readonly search: SearchSettings | undefined;
  readonly embed: () => (text: string) => Float32Array | undefined;
  readonly secret: string;
  readonly ledger: GenerateParts["ledger"];
}

const LOCAL_TIMEOUT_MS = 60_000;

export function serverCatalog(sources: CatalogSources): Capability[] {
  const { database, search, fetch, embed, secret, settings, providers } = sources;
  const media = createMediaMaker(providers.credentials);
  const notMade = (what: string) =>
    fail("not_available", {
      what,
      why: "it is not configured",
      nextStep:
        "Set OPENAI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY, or add a key in Settings or with `capstan providers add openai`.",
    });
  /** Their prices are unknown, so a budget in dollars refuses them. */
  const makePaid = <T>(spender: CatalogSpender, name: string, make: () => Promise<Result<T>>) =>
    withinBudget(sources.ledger, spenderOf(spender), { name, estimate: async () => UNKNOWN_PRICE }, make);
  const parts: CatalogParts = {
    generate: async (request, spender) =>
      (await sources.models.defaultModel()).demo ? undefined : generate(sources, spenderOf(spender), request),
    image: (prompt, spender) =>
      makePaid(
        spender,
        "an image model",
        async () => (await media.image(prompt, spender.signal)) ?? notMade("Image generation"),
      ),
    video: (prompt, spender) =>
      makePaid(
        spender,
        "a video model",
        async () => (await media.video(prompt, spender.signal)) ?? notMade("Video generation"),
      ),
    documents: documentStore(database.pool, (text) => embed()(text)),
    sign: (body) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
    ...(search && {
      search: (query, maxResults, signal) => searchWeb({ query, maxResults }, search, fetch, signal),
    }),
    ...(settings.LOCALAI_BASE_URL && { localAi: localAi(settings.LOCALAI_BASE_URL) }),
  };
  return catalogCapabilities(parts);
}

const UNKNOWN_PRICE = { costUsd: undefined, tokens: 0 };
const spenderOf = ({ user, agentId = "" }: CatalogSpender) => ({ user: user.email, agentId });

/** The operator's own address, so the guard against private ones does not apply. */
function localAi(baseUrl: string): LocalAi {
  const base = baseUrl.replace(/\/+$/, "");
  const ask = async <T>(path: string, signal: AbortSignal, body?: object): Promise<Result<T>> => {
    const within = AbortSignal.any([signal, AbortSignal.timeout(LOCAL_TIMEOUT_MS)]);
    const sent = body && {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    };
    try {
      const response = await fetch(base + path, { signal: within, ...sent });
      return response.ok
        ? ok((await response.json()) as T)
        : fail("network_error", { url: base, why: `it answered ${response.status}` });
    } catch (error) {
      return fail("network_error", {
        url: base,
        why: error instanceof Error ? error.message : String(error),
      });
    }
  };
  const models: LocalAi["models"] = async (signal) => {
    const listed = await ask<{ data?: { id: string }[] }>("/models", signal);
    return listed.ok ? ok((listed.value.data ?? []).map(({ id }) => id)) : listed;
  };
  return {
    baseUrl: base,
    models,
    async chat({ prompt, model, signal }) {
      const all = model === undefined ? await models(signal) : ok([model]);
      if (!all.ok) return all;
      const [chosen = "default"] = all.value;
      const answer = await ask<{ choices?: { message?: { content?: string } }[] }>(
        "/chat/completions",
        signal,
        { model: chosen, messages: [{ role: "user", content: prompt }] },
      );
      return answer.ok
        ? ok({ text: answer.value.choices?.[0]?.message?.content ?? "", model: chosen })
        : answer;
    },
  };
}
