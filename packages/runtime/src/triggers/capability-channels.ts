/**
 * Channels of capabilities: one with a tool `deliver` is a channel with its own name, such as `teams`. The answer to
 * a trigger passes the gate like every call, with the rights of the trigger's user.
 */
import { type AnyTool, type Capability, type CapabilityRegistry, fail, ok } from "@capstan/core";
import type { Composer } from "../agents/composer.ts";
import { singleCapability } from "../agents/single-capability.ts";
import type { Gate } from "../gate/gate.ts";
import type { UserStore } from "../users/user-store.ts";
import type { Channel, Channels } from "./channels.ts";

export interface ChannelParts {
  readonly registry: CapabilityRegistry;
  readonly composer: Pick<Composer, "composeUnsaved">;
  readonly gate: Gate;
  readonly users: Pick<UserStore, "get">;
}

type Answer = Parameters<Channel["deliver"]>[0];

const DELIVERY_MS = 120_000; // a tool has its own timeout; this one stops tools that ignore it

export function capabilityChannels(parts: ChannelParts): Channels {
  return Object.fromEntries(
    parts.registry.list().flatMap((capability) => {
      const tool = capability.tools.find(({ name }) => isDeliver(capability, name));
      return tool ? [[capability.id, channelOf(capability, tool, parts)]] : [];
    }),
  );
}

/** The names of an installed command's actions start with its name. */
const isDeliver = ({ id }: Capability, name: string): boolean =>
  name === "deliver" || name === `${id}_deliver`;

function channelOf(capability: Capability, { name, input }: AnyTool, parts: ChannelParts): Channel {
  const { required, properties } = input.jsonSchema;
  const taken = new Set(Object.keys((properties ?? {}) as object));
  return {
    needsTarget: Array.isArray(required) && required.includes("target"),
    async deliver(answer) {
      const { trigger, sessionId } = answer;
      const user = await parts.users.get(trigger.user);
      const agent = await parts.composer.composeUnsaved(
        singleCapability(capability.id, undefined),
        user.email,
      );
      if (!agent.ok) return agent;
      const outcome = await parts.gate.call({
        path: "trigger",
        agent: agent.value,
        tool: name,
        user,
        sessionId,
        input: Object.fromEntries(Object.entries(fieldsOf(answer)).filter(([key]) => taken.has(key))),
        callId: `deliver-${trigger.id}`,
        signal: AbortSignal.timeout(DELIVERY_MS),
        isArranged: true, // the trigger names channel and target; the model chose neither
      });
      if (outcome.kind === "done") return ok(true);
      if (outcome.kind === "refused") return { ok: false, failure: outcome.failure };
      return fail("tool_denied", { tool: name, why: "a channel cannot require approval" });
    },
  };
}

/** Fields a channel may receive; it gets those that its tool declares. */
const fieldsOf = ({ trigger, capability, sessionId, answer = "", target }: Answer) => ({
  ...(target !== undefined && { target }),
  text: answer,
  user: trigger.user,
  type: trigger.type,
  capability,
  session_id: sessionId,
  trigger_id: trigger.id,
});
