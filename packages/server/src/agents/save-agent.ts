/** Saves an agent once it composes, its model can answer and its harness exists; records who did it. */
import { ok, type Result, type RuntimeAgent } from "@capstan/core";
import { NATIVE_AGENT } from "@capstan/core/internal";
import type { AgentInput, AgentRecord } from "@capstan/runtime";
import type { Caller } from "../http/caller.ts";
import type { Services } from "../start/services.ts";

export async function saveAgent(
  services: Services,
  caller: Caller,
  input: AgentInput,
  id?: string,
): Promise<Result<AgentRecord>> {
  const { agents, audit, composer } = services;
  const composed = await composer.preview({ ...input, id: "unsaved", version: 0 }, caller.email);
  if (!composed.ok) return composed;
  const can = await canAnswer(services, composed.value);
  if (!can.ok) return can;
  const saved =
    id === undefined ? ok(await agents.create(caller.email, input)) : await agents.update(id, input);
  if (!saved.ok) return saved;
  await audit.add({
    actor: caller.email,
    action: id === undefined ? "agent.created" : "agent.updated",
    subject: saved.value.id,
    details: {
      name: saved.value.name,
      version: saved.value.version,
      granted_scopes: [...saved.value.grantedScopes],
    },
  });
  return saved;
}

/** A model nobody knows, or one without a key, is said at once. Without a model the server's default answers. */
export async function canAnswer(
  { models, harnesses }: Services,
  agent: RuntimeAgent,
): Promise<Result<unknown>> {
  const { harness, model } = agent.spec;
  if (harness !== NATIVE_AGENT) return harnesses.driver(harness).check(agent);
  return model === undefined ? ok(true) : models.check(model);
}
