/**
 * The link to connect an account, for clients that can open one: as a request for input where the protocol of 2026 is spoken,
 * as error -32042 before. Others get the refusal, which names the link.
 *
 * A 2025 client states its features once, at initialization, and nothing is stored between requests, so its session
 * id repeats them. The id grants nothing; it only selects the form of a refusal.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Failure, RuntimeTool } from "@capstan/core";
import type { ConnectionLack } from "@capstan/core/internal";
import { type ConnectionProviders, type ConnectionStore, connectionStates } from "@capstan/runtime";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/server";
import { uuidv7 } from "uuidv7";
import type { McpCaller } from "./mcp-caller.ts";

const ANSWER = "connect";
const LOOK_AGAIN_MS = 500;
const MOST_WAIT_MS = 120_000; // a person logs in meanwhile; after that the refusal has the link

export interface ElicitParts {
  readonly connections: ConnectionStore;
  readonly connectionProviders: ConnectionProviders;
}

type Request = ServerContext["mcpReq"];
type Envelope = { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities };

/** Sent instead of the refusal; undefined for a client that cannot open links or has already opened this one. */
export function connectLink(
  { code, message, details }: Failure,
  { opensLinks }: McpCaller,
  mcpReq: Request,
): InputRequiredResult | undefined {
  if (code !== "connection_needed") return undefined;
  const { url } = details as ConnectionLack;
  if (isModern(mcpReq)) {
    if (!declaresLinks(mcpReq) || answerOf(mcpReq) !== undefined) return undefined;
    return inputRequired({ inputRequests: { [ANSWER]: inputRequired.elicitUrl({ message, url }) } });
  }
  if (opensLinks)
    throw new UrlElicitationRequiredError([{ mode: "url", elicitationId: uuidv7(), message, url }]);
  return undefined;
}

/** A client that repeats the call has shown the link; the person may still be at the provider. */
export async function waitForAccount(
  parts: ElicitParts,
  { agent, email }: McpCaller,
  tool: RuntimeTool | undefined,
  mcpReq: Request,
): Promise<void> {
  if (!tool || answerOf(mcpReq) !== "accept") return;
  const who = { userEmail: email, agentId: agent.spec.id };
  const until = performance.now() + MOST_WAIT_MS;
  while (performance.now() < until && !mcpReq.signal.aborted) {
    const states = await connectionStates(parts, who, [tool]);
    if (states.every(({ isReady }) => isReady)) return;
    await sleep(LOOK_AGAIN_MS, undefined, { signal: mcpReq.signal }).catch(() => {});
  }
}

const isModern = ({ envelope }: Request): boolean => envelope !== undefined;

function declaresLinks({ envelope }: Request): boolean {
  const capabilities = (envelope as Envelope | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  return capabilities?.elicitation?.url !== undefined;
}

function answerOf({ inputResponses }: Request): string | undefined {
  const given = inputResponses?.[ANSWER] as { action?: unknown } | undefined;
  return typeof given?.action === "string" ? given.action : undefined;
}
