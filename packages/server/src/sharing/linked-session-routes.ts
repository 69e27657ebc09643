/**
 * /v1/shared: what a link shows to anyone who has it, without a key: the messages, and files if the link includes
 * them; never tool calls, their results, thinking, ids, or any action. An unknown, expired or revoked link gives the
 * same "not found".
 */
import { SharedFileQuery, SharedHeader, SharedSession } from "@capstan/client/wire";
import { fail, ok, type Result, type SessionFileStore } from "@capstan/core";
import type {
  AgentStore,
  PeopleStore,
  Runs,
  SessionLink,
  SessionLinks,
  SessionRecord,
  SessionStore,
} from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import { requestLimit } from "../auth/caller-limit.ts";
import { type AppEnv, json, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { partDto } from "../runs/run-dto.ts";
import type { SessionFiles } from "../sessions/session-files.ts";
import type { Settings } from "../settings/settings.ts";

const MOST_MESSAGES = 1000;
const MOST_FILES = 500;
const READS_PER_MINUTE = { ofOne: 300, ofAll: 6000 };
const PRIVATE = { "cache-control": "no-store", "referrer-policy": "no-referrer", "x-robots-tag": "noindex" };

const see = createRoute({
  operationId: "readSharedSession",
  "x-capstan-right": "none",
  method: "get",
  path: "/v1/shared",
  summary: "A session by a link: what was said, and a list of files if the link shows them",
  request: { headers: SharedHeader },
  responses: { 200: json(SharedSession, "What the link shows.") },
});
const file = createRoute({
  operationId: "readSharedFile",
  "x-capstan-right": "none",
  method: "get",
  path: "/v1/shared/file",
  summary: "One file of a session by a link that shows files",
  request: { headers: SharedHeader, query: SharedFileQuery },
  responses: {
    200: {
      description: "Its bytes.",
      content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
    },
  },
});

export interface LinkedSessionParts {
  readonly settings: Settings;
  readonly sessions: SessionStore;
  readonly sessionLinks: SessionLinks;
  readonly people: Pick<PeopleStore, "standing">;
  readonly isAdmin: (email: string) => Promise<boolean>;
  readonly agents: AgentStore;
  readonly runs: Runs;
  readonly files: SessionFiles;
}

export function linkedSessionRoutes(parts: LinkedSessionParts) {
  const routes = newRoutes("sessions");
  const limit = requestLimit(READS_PER_MINUTE, parts.settings);
  const open = async (c: Context<AppEnv>, secret: string) => {
    const reached = limit(c);
    return reached ? fail("rate_limited", reached) : openLink(parts, secret);
  };
  routes.openapi(see, async (c) => {
    const link = await open(c, c.req.valid("header")["capstan-link"]);
    if (!link.ok) return problem(c, link.failure, PRIVATE);
    return c.json(await sharedSession(parts, link.value), 200, PRIVATE);
  });
  routes.openapi(file, async (c) => {
    const link = await open(c, c.req.valid("header")["capstan-link"]);
    if (!link.ok) return problem(c, link.failure, PRIVATE);
    return sharedFile(c, parts, link.value.link, c.req.valid("query").path);
  });
  return routes;
}

interface OpenedLink {
  readonly link: SessionLink;
  readonly session: SessionRecord;
}

const unknown = () => fail("not_found", { what: "shared session", id: "this link" });

/** A link shows what its creator may currently see: it ends when they leave, or lose the right to other people's sessions. */
async function openLink(
  { sessionLinks, sessions, people, isAdmin }: LinkedSessionParts,
  secret: string,
): Promise<Result<OpenedLink>> {
  const link = await sessionLinks.open(secret);
  if (!link || !(await people.standing(link.createdBy)).isActive) return unknown();
  const session = await sessions.get(link.sessionId);
  if (!session.ok) return unknown();
  const maySee = session.value.owner === link.createdBy || (await isAdmin(link.createdBy));
  return maySee ? ok({ link, session: session.value }) : unknown();
}

async function sharedSession(
  { agents, runs, files }: LinkedSessionParts,
  { link: { sessionId, withFiles, expiresAt }, session: { agentId, title } }: OpenedLink,
): Promise<SharedSession> {
  const names = agentId === null ? new Map<string, string>() : await agents.names([agentId]);
  const { items, nextAfter } = await runs.messages(sessionId, { limit: MOST_MESSAGES, after: undefined });
  const messages = items.flatMap(({ role, content, createdAt }) => {
    if (role !== "user" && role !== "assistant") return [];
    const text = content
      .flatMap(partDto)
      .flatMap((part) => (part.type === "text" ? [part.text] : []))
      .join("\n\n");
    return text === "" ? [] : [{ role, text, created_at: new Date(createdAt).toISOString() }];
  });
  return {
    title,
    agent: (agentId !== null && names.get(agentId)) || null,
    expires_at: expiresAt.toISOString(),
    messages,
    files: withFiles ? await filesIn(files(sessionId), "/") : null,
    has_more: nextAfter !== undefined,
  };
}

async function filesIn(store: SessionFileStore, folder: string): Promise<{ path: string; size: number }[]> {
  const found: { path: string; size: number }[] = [];
  const waiting = [folder];
  for (let next = waiting.shift(); next !== undefined && found.length < MOST_FILES; next = waiting.shift()) {
    const listed = await store.list(next);
    for (const { path, isDirectory, sizeBytes: size } of listed.ok ? listed.value : []) {
      if (isDirectory) waiting.push(path);
      else found.push({ path, size });
    }
  }
  return found.slice(0, MOST_FILES);
}

async function sharedFile(
  c: Context<AppEnv>,
  { files }: LinkedSessionParts,
  { sessionId, withFiles }: SessionLink,
  path: string,
) {
  if (!withFiles) return problem(c, unknown().failure, PRIVATE);
  const content = await files(sessionId).read(path);
  if (!content.ok) return problem(c, content.failure, PRIVATE);
  // Never rendered by a browser: a session's files may contain anyone's HTML.
  return c.body(content.value as Uint8Array<ArrayBuffer>, 200, {
    ...PRIVATE,
    "content-type": "application/octet-stream",
    "content-disposition": "attachment",
    "x-content-type-options": "nosniff",
  });
}
