/**
 * Changes a session by JSON merge patch (RFC 7396): `metadata` is merged, null removes. Read-only fields may be sent
 * back unchanged; they include the server's own entries in `metadata`, one of which limits what a handed-over session
 * may do.
 */
import { isDeepStrictEqual } from "node:util";
import { mergePatch, SESSION_KEPT, type Session, type SessionPatch } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import type { SessionChanges } from "@capstan/runtime";

/** Entries of `metadata` that the server writes. */
const OWN_ENTRIES = ["scopeCeiling", "thread_id", "client_login", "parent_run_id", "trigger"] as const;

export function sessionChanges(before: Session, patch: SessionPatch): Result<SessionChanges> {
  const kept = SESSION_KEPT.find(
    (field) => patch[field] !== undefined && !isDeepStrictEqual(patch[field], before[field]),
  );
  if (kept !== undefined) return refuseKept(kept, patch[kept], before[kept]);
  const metadata = mergePatch(before.metadata, patch.metadata ?? {}) as Session["metadata"];
  const own = checkOwnEntries(before.metadata, metadata);
  if (!own.ok) return own;
  const { title, agent_id, pinned, archived } = patch;
  const wanted = { title: title === null ? "" : title, agentId: agent_id, metadata, pinned, archived };
  const had = { ...before, agentId: before.agent_id };
  return ok(
    Object.fromEntries(
      Object.entries(wanted).filter(
        ([field, value]) =>
          value !== undefined && !isDeepStrictEqual(value, new Map(Object.entries(had)).get(field)),
      ),
    ),
  );
}

/** Entries that a client may not write: compared with those that are there. */
export function checkOwnEntries(before: Session["metadata"], after: Session["metadata"]): Result<true> {
  const changed = OWN_ENTRIES.find((name) => !isDeepStrictEqual(before[name], after[name]));
  if (changed === undefined) return ok(true);
  return fail("input_invalid", { where: `metadata.${changed}: set by the server` });
}

function refuseKept(field: string, given: unknown, current: unknown): Result<never> {
  if (field === "updated_at")
    return fail("conflict", {
      message: `The session has changed since you read it: its updated_at is now ${current}, not ${given}.`,
      nextStep: "Read it again, then reapply your change.",
    });
  return fail("input_invalid", { where: `${field}: set by the server` });
}
