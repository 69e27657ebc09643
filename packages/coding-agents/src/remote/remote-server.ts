/** The requests a remote client makes. Failures arrive as problem documents and are thrown as the same errors as local ones. */
import { type Failure, fail } from "@capstan/core";
import {
  type CliMessage,
  type CodingAgentCapabilities,
  runError,
  type StoredSession,
} from "@capstan/core/internal";
import { z } from "zod";

const REQUEST_TIMEOUT_MS = 30_000; // for all but a run's own stream

export interface RemoteServer {
  /** The nested adapter's capabilities; `undefined` when the server does not know the agent. */
  capabilities(agent: string): Promise<CodingAgentCapabilities | undefined>;
  sessions(agent: string): Promise<StoredSession[]>;
  sessionMessages(agent: string, id: string): Promise<CliMessage[] | undefined>;
  /** Answers with the stream of events, which lasts as long as the run. */
  startRun(agent: string, options: unknown): Promise<Response>;
  command(agent: string, runId: string, command: unknown): Promise<void>;
}

/** Every other field is the server's word: a newer one has fields that this client does not know. */
const isCapabilities = z.looseObject({ agent: z.string(), canResume: z.boolean() });
const capabilities = z.custom<CodingAgentCapabilities>((value) => isCapabilities.safeParse(value).success);
/** `effective`: the remote capabilities, a probe's findings merged over what is declared. */
const manifest = z.object({ capabilities, effective: capabilities.nullish() });
const problem = z.object({
  code: z.string(),
  message: z.string(),
  nextStep: z.string().optional(),
  details: z.unknown().optional(),
});
const storedSessions = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      title: z.string().optional(),
      cwd: z.string().optional(),
      model: z.string().optional(),
      updatedAt: z.string().optional(),
    }),
  ),
});
const storedMessages = z.object({
  items: z.array(z.object({ role: z.enum(["user", "assistant", "tool", "system"]), text: z.string() })),
});

export function createRemoteServer(url: string, apiKey: string | undefined): RemoteServer {
  const base = new URL("/v1/coding-agents/", url);
  const headers = {
    "content-type": "application/json",
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  const request = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, base), { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), ...init, headers });
  const at = (agent: string, ...rest: string[]) => [agent, ...rest].map(encodeURIComponent).join("/");
  return {
    async capabilities(agent) {
      const response = await request(at(agent));
      if (response.status === 404) return undefined;
      const body = manifest.parse(await (await requireSuccess(response)).json());
      return Object.freeze(body.effective ?? body.capabilities);
    },
    async sessions(agent) {
      return storedSessions.parse(await (await requireSuccess(await request(at(agent, "sessions")))).json())
        .items;
    },
    async sessionMessages(agent, id) {
      const response = await request(at(agent, "sessions", id));
      if (response.status === 404) return undefined;
      return storedMessages.parse(await (await requireSuccess(response)).json()).items;
    },
    async startRun(agent, options) {
      return requireSuccess(
        await request(at(agent, "runs"), { method: "POST", body: JSON.stringify(options), signal: null }),
      );
    },
    async command(agent, runId, command) {
      const path = at(agent, "runs", runId, "commands");
      await requireSuccess(await request(path, { method: "POST", body: JSON.stringify(command) }));
    },
  };
}

async function requireSuccess(response: Response): Promise<Response> {
  if (response.ok) return response;
  const parsed = problem.safeParse(await response.json().catch(() => null));
  const { status } = response;
  if (!parsed.success) throw runError(fail("remote_run_lost", { reason: `It answered ${status}.` }).failure);
  const failure: Failure = { nextStep: "", ...parsed.data, status } as Failure;
  throw runError(failure);
}
