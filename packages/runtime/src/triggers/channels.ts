/**
 * Where answers are delivered, as a table: `session` leaves the answer in the session, `webhook` posts it with a signature.
 * Capabilities add their own rows, such as `teams`.
 */
import { createHmac } from "node:crypto";
import { fail, type GuardedFetch, ok, type Result } from "@capstan/core";
import type { Trigger } from "@capstan/core/internal";
import type { ChannelRule } from "./delivery.ts";

const TRIES = 3;
const PAUSES_MS = [500, 2_000];
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
      let last: Result<true> = fail("network_error", { url: target, why: "it was not attempted" });
      for (let attempt = 0; attempt < TRIES; attempt++) {
        if (attempt > 0) await wait(PAUSES_MS[attempt - 1] ?? 0);
        const signed = { ...headers, "capstan-signature": signature(secret, body, now()) };
        last = await post(fetch, target, body, signed);
        if (last.ok || last.failure.code !== "network_error") return last;
      }
      return last;
    },
  };
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
