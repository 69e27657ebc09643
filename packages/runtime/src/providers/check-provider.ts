/**
 * Tests a provider before its key is saved: which models it has, and whether one of them answers. A failure is reported
 * with its cause: nothing is listening, the key is refused, the address is not an API, there is no credit.
 */
import { APICallError, type LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { type Failure, fail, ok, type Result } from "@capstan/core";
import { networkFault } from "../network/network-fault.ts";
import { COMPATIBLE_LIST, type ListedModel, MODEL_LISTS } from "./model-lists.ts";
import type { ResolvedModel } from "./models.ts";
import { nodeFetch } from "./node-fetch.ts";
import type { Credentials } from "./provider-table.ts";

const ANSWER_WITHIN_MS = 15_000;
const FEWEST_TOKENS = 16; // OpenAI's Responses API rejects less

export interface AskOptions {
  readonly timeoutMs?: number;
  readonly fetch?: typeof fetch;
}

/** The models a provider lists for this key, chat models only. */
export async function listModels(
  provider: string,
  credentials: Credentials,
  { timeoutMs = ANSWER_WITHIN_MS, fetch = nodeFetch }: AskOptions = {},
): Promise<Result<readonly ListedModel[]>> {
  const row = (Object.hasOwn(MODEL_LISTS, provider) ? MODEL_LISTS[provider] : undefined) ?? COMPATIBLE_LIST;
  const url = row.url(credentials);
  if (!URL.canParse(url)) return fail("provider_address_missing", { provider });
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, { headers: row.headers(credentials), signal });
    const text = await response.text();
    if (!response.ok) return { ok: false, failure: refusalOf(provider, url, response.status, text) };
    const models = row.read(jsonIn(text));
    return models ? ok(models) : fail("provider_address_wrong", { provider, url, status: response.status });
  } catch (error) {
    const why = signal.aborted ? `no answer within ${timeoutMs / 1000} s` : networkFault(error);
    return fail("provider_unreachable", { provider, url, why });
  }
}

function refusalOf(provider: string, url: string, status: number, text: string): Failure {
  const message = messageIn(text);
  if (status === 401 || status === 403)
    return fail("provider_key_refused", { provider, status, message }).failure;
  if (status === 402 || status === 429)
    return fail("provider_no_credit", { provider, status, message }).failure;
  if (status >= 500)
    return fail("provider_unreachable", { provider, url, why: `${status} ${message}` }).failure;
  return fail("provider_address_wrong", { provider, url, status }).failure;
}

/** One short answer of one model: a key that can list models may still have no credit. */
export async function tryModel(
  resolved: ResolvedModel,
  { timeoutMs = ANSWER_WITHIN_MS }: AskOptions = {},
): Promise<Result<{ readonly tookMs: number }>> {
  const { model, provider } = resolved;
  const started = performance.now();
  const abortSignal = AbortSignal.timeout(timeoutMs);
  try {
    const { stream } = await model.doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: "Say ok." }] }],
      maxOutputTokens: FEWEST_TOKENS,
      abortSignal,
      ...(resolved.callOptions && { providerOptions: resolved.callOptions }),
    });
    await readWhole(stream);
    return ok({ tookMs: Math.round(performance.now() - started) });
  } catch (error) {
    if (abortSignal.aborted)
      return fail("provider_unreachable", {
        provider,
        url: resolved.name,
        why: `no answer within ${timeoutMs / 1000} s`,
      });
    return { ok: false, failure: failureOf(resolved, error) };
  }
}

/** Like a run: an error may also arrive inside the stream. */
async function readWhole(stream: ReadableStream<LanguageModelV4StreamPart>): Promise<void> {
  for await (const part of stream) if (part.type === "error") throw part.error;
}

function failureOf({ provider, name }: ResolvedModel, error: unknown): Failure {
  if (!APICallError.isInstance(error) || error.statusCode === undefined)
    return fail("provider_unreachable", { provider, url: name, why: networkFault(error) }).failure;
  const { statusCode: status, responseBody, message } = error;
  if (status === 404 || status === 400 || status === 422)
    return fail("provider_request_refused", { provider, status, message: messageIn(responseBody ?? message) })
      .failure;
  return refusalOf(provider, error.url, status, responseBody ?? message);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The provider's own error message, from the usual places. */
function messageIn(text: string): string {
  const answer = jsonIn(text) as { error?: { message?: unknown } | string; message?: unknown } | undefined;
  const said = typeof answer?.error === "object" ? answer.error?.message : (answer?.error ?? answer?.message);
  const words = typeof said === "string" && said !== "" ? said : text.replaceAll(/<[^>]*>|\s+/g, " ").trim();
  return words.slice(0, 300) || "no reason given";
}
