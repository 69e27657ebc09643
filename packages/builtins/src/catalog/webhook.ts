/** webhook.dispatch, webhook.events: send a signed event to an address, with retries; list what was sent. */
import { setTimeout as pause } from "node:timers/promises";
import { type AnyTool, defineTool, fail, type JsonValue, ok, type ToolContext } from "@capstan/core";
import { z } from "zod";
import { type CatalogParts, notConfigured } from "./catalog-parts.ts";

const RETRY_WAITS_MS = [0, 500, 2000];
const MOST_LISTED = 100;
const STORE = "webhook"; // dispatched events are listed by another capability

export function dispatchWebhook({ sign }: CatalogParts): AnyTool {
  return defineTool({
    name: "webhook_dispatch",
    risk: "irreversible",
    description: "Send an event to a webhook address, signed, with retries.",
    input: z.object({
      url: z.url({ protocol: /^https?$/ }),
      event: z.string().min(1).max(200).default("event"),
      data: z.record(z.string(), z.unknown()).default({}),
    }),
    timeoutMs: 60_000,
    storedUnder: STORE,
    run: async ({ url, event, data }, context) => {
      if (!sign)
        return notConfigured(
          "Signing of webhooks",
          "Start the server with its data folder or CAPSTAN_SECRET.",
        );
      const body = JSON.stringify({
        id: context.idempotencyKey,
        event,
        data,
        at: context.now().toISOString(),
      });
      const delivery = await deliver(url, body, sign(body), context);
      const stored = { id: context.idempotencyKey, event, url, ...delivery, at: context.now().toISOString() };
      await context.store.set(
        `event:${context.now().toISOString()}:${context.idempotencyKey}`,
        stored as JsonValue,
      );
      return delivery.delivered ? ok(stored) : fail("webhook_undelivered", { url, why: delivery.why ?? "" });
    },
  });
}

export function listWebhookEvents(): AnyTool {
  return defineTool({
    name: "webhook_events",
    risk: "read",
    description: "List the webhook events that were sent, newest first.",
    input: z.object({ limit: z.coerce.number().int().min(1).max(MOST_LISTED).default(20) }),
    idempotent: true,
    storedUnder: STORE,
    run: async ({ limit }, { store }) => {
      const events = await store.list("event:");
      return ok({
        events: events
          .reverse()
          .slice(0, limit)
          .map(({ value }) => value),
      });
    },
  });
}

interface Delivery {
  readonly delivered: boolean;
  readonly attempts: number;
  readonly status?: number;
  readonly why?: string;
}

async function deliver(
  url: string,
  body: string,
  signature: string,
  { fetch, signal }: ToolContext,
): Promise<Delivery> {
  let why = "";
  for (const [attempt, waitMs] of RETRY_WAITS_MS.entries()) {
    await pause(waitMs, undefined, { signal }).catch(() => {}); // an aborted wait is followed by an aborted fetch
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "x-capstan-signature": signature },
      body,
      signal,
    });
    if (!answer.ok && answer.failure.status < 500)
      return { delivered: false, attempts: attempt + 1, why: answer.failure.message };
    if (answer.ok && answer.value.status < 300)
      return { delivered: true, attempts: attempt + 1, status: answer.value.status };
    why = answer.ok ? `the receiver answered ${answer.value.status}` : answer.failure.message;
  }
  return { delivered: false, attempts: RETRY_WAITS_MS.length, why };
}
