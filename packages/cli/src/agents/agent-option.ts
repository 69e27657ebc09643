/** `--agent` takes an agent's name or id in every command; commands receive the id. */
import type { Api } from "@capstan/client";
import { ok, type Result } from "@capstan/core";
import type { CommandContext } from "../command.ts";
import { findAgent } from "./find-agent.ts";

type Options = CommandContext["options"];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export async function withAgentId(options: Options, server: () => Promise<Api>): Promise<Result<Options>> {
  const { agent } = options;
  if (typeof agent !== "string" || UUID.test(agent)) return ok(options);
  const found = await findAgent(await server(), agent);
  return found.ok ? ok({ ...options, agent: found.value.id }) : found;
}
