/**
 * Where answers are delivered, as a table: `session` leaves the answer in the session, `webhook` posts it with a signature.
 * Capabilities add their own rows, such as `teams`.
 */
import { createHmac } from "node:crypto";
import { fail, type GuardedFetch, ok, type Result } from "@capstan/core";
import type { Trigger } from "@capstan/core/internal";
import type { ChannelRule } from "./delivery.ts";

const PAUSES_MS = [500, 2_000]; // between three tries
const FIRST_BYTE_MS = 10_000;

export interface Answer {
  readonly trigger: Trigger;
  readonly capability: string;
  readonly sessionId: string;
  readonly answer?: string;
  readonly target?: string | undefined;
}

export interface Channel extends ChannelRule {
  deliver(answer: Answer): Promise<Result<true>>;
}

export type Channels = Readonly<Record<string, Channel>>;

/** The session already has the answer: nothing to send. */
export const sessionChannel: Channel = { needsTarget: false, deliver: async () => ok(true) };

export interface WebhookParts {
  /** Refuses private addresses and limits sizes; the only network access. */
  readonly fetch: GuardedFetch;
  readonly secret: string;
  readonly now: () => Date;
  readonly wait?: (ms: number) => Promise<void>;
}

/**
 * Posts the answer with `capstan-signature: t=<seconds>,v1=<hex>`, the HMAC-SHA256 of `<seconds>.<body>`, so that the
 * receiver can verify sender and time. The delivery's id is the trigger's id: a receiver can drop duplicates.
 */
export function webhookChannel({ fetch, secret, now, wait = pause }: WebhookParts): Channel {
  return {
    needsTarget: true,
    async deliver({ trigger, capability, sessionId, answer, target = "" }) {
      const body = JSON.stringify({
        id: trigger.id,
        type: trigger.type,
        capability,
        user: trigger.user,
        session_id: sessionId,
        ...(answer !== undefined && { answer }),
      });
      const headers = { "content-type": "application/json", "capstan-delivery": trigger.id };
      return withRetries(wait, () =>
        post(fetch, target, body, { ...headers, "capstan-signature": signature(secret, body, now()) }),
      );
    },
  };
}

/**
 * Posts the answer as a message to an incoming webhook of Microsoft Teams, which the operator made for one chat or channel.
 * The trigger's own target goes along, so that a workflow behind the webhook can choose the chat by it.
 */
export function teamsChannel({
  fetch,
  url,
  wait = pause,
}: Omit<WebhookParts, "secret" | "now"> & { readonly url: string }): Channel {
  return {
    needsTarget: false,
    async deliver({ trigger, capability, answer, target }) {
      const text = answer ?? `${capability}: ${trigger.type}`;
      const content = {
        type: "AdaptiveCard",
        version: "1.4",
        body: [{ type: "TextBlock", text, wrap: true }],
      };
      const body = JSON.stringify({
        type: "message",
        text, // older connectors read this, workflows the card
        attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content }],
        ...(target !== undefined && { target }),
      });
      const headers = { "content-type": "application/json", "capstan-delivery": trigger.id };
      const sent = await withRetries(wait, () => post(fetch, url, body, headers));
      // The address is a secret: anyone who has it can post.
      return sent.ok || sent.failure.code !== "network_error"
        ? sent
        : fail("network_error", {
            url: new URL(url).origin,
            why: "the Teams webhook did not accept the message",
          });
    },
  };
}

async function withRetries(
  wait: (ms: number) => Promise<void>,
  send: () => Promise<Result<true>>,
): Promise<Result<true>> {
  let last = await send();
  for (const pauseMs of PAUSES_MS) {
    if (last.ok || last.failure.code !== "network_error") return last;
    await wait(pauseMs);
    last = await send();
  }
  return last;
}

export function signature(secret: string, body: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000);
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`;
}

async function post(
  fetch: GuardedFetch,
  url: string,
  body: string,
  headers: Record<string, string>,
): Promise<Result<true>> {
  const answer = await fetch(url, {
    method: "POST",
    headers,
    body,
    firstByteTimeoutMs: FIRST_BYTE_MS,
    redirects: "refuse",
  });
  if (!answer.ok) return answer;
  await answer.value.body?.cancel();
  const { status } = answer.value;
  return answer.value.ok ? ok(true) : fail("network_error", { url, why: `it answered ${status}` });
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
