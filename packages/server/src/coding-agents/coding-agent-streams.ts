/** Streams of the coding agents' routes: runs, and the doctor's progress. */
import { realpathSync } from "node:fs";
import { sep } from "node:path";
import type { CodingAgentRun } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import { parseRemoteRunOptions, type RunOptions } from "@capstan/core/internal";
import type { Context } from "hono";
import { type AppEnv, answer } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { SSE_HEADERS, sseEvent, sseResponse } from "../http/sse.ts";
import { codingAgentRefusal } from "./coding-agent-refusal.ts";
import type { CodingAgentRouteParts } from "./known-agent.ts";

/** Starts programs on the server's machine, so it requires an admin. Closing the stream does not stop the run. */
export async function startRun(
  c: Context<AppEnv>,
  agent: string,
  asked: CodingAgentRun,
  services: CodingAgentRouteParts,
): Promise<never> {
  const options = inAllowedFolder({ ...asked, agent }, services.settings.CAPSTAN_CODING_AGENT_FOLDERS);
  if (!options.ok) return problem(c, options.failure);
  const { host } = await services.codingAgents.open();
  try {
    const run = host.start(options.value);
    if (!run.ok) return problem(c, run.failure);
    const headers = { ...SSE_HEADERS, "x-capstan-run": run.value.id };
    return answer(new Response(run.value.stream, { headers }));
  } catch (error) {
    const refused = codingAgentRefusal(error);
    if (refused) return problem(c, refused);
    throw error;
  }
}

/** A caller may name a folder that the operator allowed, or one below it. */
function inAllowedFolder(
  { cwd, ...rest }: CodingAgentRun & { readonly agent: string },
  allowed: readonly string[],
): Result<RunOptions> {
  const options = parseRemoteRunOptions(rest);
  if (!options.ok || cwd === undefined) return options;
  const folder = realFolder(cwd);
  const roots = allowed.map(realFolder);
  const isAllowed = roots.some((root) => root && (folder === root || folder?.startsWith(root + sep)));
  if (folder !== undefined && isAllowed) return ok({ ...options.value, cwd: folder });
  return fail("input_invalid", { where: "cwd: not a folder that CAPSTAN_CODING_AGENT_FOLDERS allows" });
}

/** Links resolved: one inside an allowed folder must not lead out of it. */
function realFolder(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** All agents, or the named one. */
export function doctor(services: CodingAgentRouteParts, name?: string): Response {
  const stop = new AbortController();
  return sseResponse(diagnoses(services, name, stop.signal), stop);
}

async function* diagnoses(
  { codingAgents }: CodingAgentRouteParts,
  only: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { doctor, manifests } = await codingAgents.open();
  const wanted = manifests.filter(({ capabilities }) => only === undefined || capabilities.agent === only);
  for (const { capabilities, displayName } of wanted) {
    if (signal.aborted) return;
    yield sseEvent(JSON.stringify({ type: "checking", agent: capabilities.agent, name: displayName }));
    const diagnosis = await doctor.check(capabilities.agent);
    yield sseEvent(JSON.stringify({ type: "checked", ...diagnosis }));
    if (!diagnosis.installed) continue;
    yield sseEvent(JSON.stringify({ type: "probing", agent: capabilities.agent }));
    const report = await doctor.probe(capabilities.agent);
    yield sseEvent(JSON.stringify({ type: "probed", agent: capabilities.agent, report }));
  }
  yield sseEvent(JSON.stringify({ type: "done" }));
}
