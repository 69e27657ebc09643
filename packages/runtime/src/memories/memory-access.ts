/**
 * What one call of a tool may do with memory: its own user, its own agent and the organisation, nobody else's. Facts carry the
 * labels of the session that wrote them; reading one puts them on the session that reads, before its text is returned.
 */
import { fail, ok } from "@capstan/core";
import { DATA_LABELS, type MemoryAccess, type MemoryFact, type MemoryScope } from "@capstan/core/internal";
import { type LabelStore, labelNames } from "../labels/session-labels.ts";
import type { MemoryOwner } from "./memory-keys.ts";
import type { MemoryRecord, MemoryStore } from "./memory-store.ts";

export interface MemoryCall {
  readonly user: string;
  /** Absent for a call without a saved agent, which has no agent memory. */
  readonly agentId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly runId?: string | undefined;
  readonly callId: string;
  readonly tool: string;
  readonly capabilityId: string;
}

export interface MemoryAccessParts {
  readonly memories: MemoryStore;
  readonly labels: LabelStore;
}

export function memoryAccess({ memories, labels }: MemoryAccessParts, call: MemoryCall): MemoryAccess {
  const { user, agentId, sessionId, runId, callId, tool, capabilityId } = call;
  const owners = ownersFor(user, agentId);
  const ownerOf = (scope: MemoryScope) => owners.find((owner) => owner.scope === scope);
  return {
    async remember({ text, scope }) {
      const owner = ownerOf(scope);
      if (!owner)
        return fail("not_available", {
          what: "The memory of an agent",
          why: "this call has no saved agent",
          nextStep: "Use the scope user.",
        });
      const seen = sessionId === undefined ? [] : labelNames(await labels.read(sessionId));
      const made = await memories.add({
        ...owner,
        text,
        labels: seen,
        createdBy: user,
        agentId,
        sessionId,
        runId,
        callId,
      });
      return made.ok ? ok(factOf(made.value)) : made;
    },
    async recall(query, limit) {
      const found = await memories.search(owners, query, limit);
      const brought = DATA_LABELS.filter((label) => found.some((fact) => fact.labels.includes(label)));
      if (sessionId !== undefined && brought.length > 0)
        await labels.add(sessionId, brought, { tool, capabilityId, runId, callId });
      return found.map(factOf);
    },
    async forget(id) {
      const found = await memories.get(id);
      const isOwn = found.ok && owners.some((owner) => isOwnedBy(found.value, owner));
      if (!isOwn) return fail("not_found", { what: "memory", id }); // another's fact looks as if it did not exist
      if (found.value.scope !== "user")
        return fail("forbidden", {
          message: "This fact is shared with others, so it cannot be deleted from a conversation.",
          nextStep: "The agent's owner or an admin can delete it in the studio or with `capstan memories`.",
        });
      const gone = await memories.forget(id);
      return gone.ok ? ok(true) : gone;
    },
  };
}

export const ORGANISATION: MemoryOwner = { scope: "organisation", subject: "" };

const ownersFor = (user: string, agentId: string | undefined): MemoryOwner[] => [
  { scope: "user", subject: user },
  ...(agentId === undefined ? [] : [{ scope: "agent" as const, subject: agentId }]),
  ORGANISATION,
];

export const isOwnedBy = (memory: MemoryOwner, { scope, subject }: MemoryOwner): boolean =>
  memory.scope === scope && memory.subject === subject;

const factOf = ({ id, scope, text, labels, createdAt }: MemoryRecord): MemoryFact => ({
  id,
  scope,
  text,
  labels,
  at: new Date(createdAt).toISOString(),
});
