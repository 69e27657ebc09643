/**
 * request_access: lets an agent request scopes from a person. The call itself is what gets approved, so it waits in
 * the same inbox as any other; once approved, it records the grant, and the next model call sees the tool.
 */
import { type Capability, defineCapability, defineTool, fail, ok, type ToolContext } from "@capstan/core";
import { nearest, REQUEST_ACCESS } from "@capstan/core/internal";
import { z } from "zod";
import type { Composer } from "../agents/composer.ts";
import type { Approvals } from "../runs/approvals/approvals.ts";
import type { AuditLog } from "../users/audit-log.ts";
import type { UserStore } from "../users/user-store.ts";

export interface AccessParts {
  readonly composer: Pick<Composer, "composeFor">;
  readonly users: Pick<UserStore, "grant" | "get">;
  readonly audit: AuditLog;
  readonly approvals: Pick<Approvals, "list">;
}

const LONGEST_HOURS = 24 * 30;

export function accessRequests(parts: AccessParts): Capability {
  return defineCapability({
    id: REQUEST_ACCESS,
    name: "Access requests",
    description: "Lets an agent request access to a tool it cannot use yet.",
    source: "agent",
    icon: "key-round",
    category: "Access",
    routing: { routable: false },
    systemPrompt:
      "Some tools are hidden until a person grants access. When you need one, call request_access with its name and why.",
    tools: [
      defineTool({
        name: "request_access",
        description: "Ask a person to grant access to a hidden tool.",
        policy: "approve",
        writes: "internal",
        input: z.object({
          tool: z.string().min(1).max(64).describe("The hidden tool's name."),
          reason: z.string().min(1).max(1000).describe("Why it is needed; shown to the person who decides."),
          hours: z
            .number()
            .positive()
            .max(LONGEST_HOURS)
            .optional()
            .describe("Duration; by default until revoked."),
        }),
        requiresContext: true,
        changesRights: true,
        run: (input, context) => grant(parts, input, context),
      }),
    ],
  });
}

async function grant(
  { composer, users, audit, approvals }: AccessParts,
  input: { tool: string; reason: string; hours?: number | undefined },
  context: ToolContext,
) {
  const { user, agentId = "", now } = context;
  const composed = await composer.composeFor(agentId, user.email);
  if (!composed.ok) return composed;
  const hidden = composed.value.hidden.filter(({ reason }) => reason === "scope");
  const wanted = hidden.find(({ name }) => name === input.tool);
  const known = hidden.map(({ name }) => name);
  if (!wanted) return fail("tool_unknown", { tool: input.tool, nearest: nearest(input.tool, known), known });
  const grantedBy = await approver(approvals, context);
  const expiresAt =
    input.hours === undefined ? undefined : new Date(now().getTime() + input.hours * 3_600_000);
  const subjects = await lacking(users, wanted.missingScopes, { agentId, email: user.email });
  for (const { subject, scope } of subjects) {
    await users.grant({ subject, scope, grantedBy, reason: input.reason, ...(expiresAt && { expiresAt }) });
  }
  const details = {
    tool: input.tool,
    scopes: [...wanted.missingScopes],
    until: expiresAt?.toISOString() ?? null,
  };
  await audit.add({ actor: grantedBy, action: "scope.granted", subject: `agent:${agentId}`, details });
  return ok({
    granted: [...wanted.missingScopes],
    tool: input.tool,
    until: expiresAt?.toISOString() ?? null,
  });
}

/** The agent gets every missing scope; the user gets those they lack themselves. */
async function lacking(
  users: Pick<UserStore, "get">,
  scopes: readonly string[],
  { agentId, email }: { agentId: string; email: string },
) {
  const own = (await users.get(email)).scopes;
  return scopes.flatMap((scope) => [
    { subject: `agent:${agentId}`, scope },
    ...(own.includes("*") || own.includes(scope) ? [] : [{ subject: `user:${email}`, scope }]),
  ]);
}

async function approver(
  approvals: Pick<Approvals, "list">,
  { sessionId, idempotencyKey, user }: ToolContext,
): Promise<string> {
  const { items } = await approvals.list({ status: "approved", sessionId, limit: 50 });
  return (
    items.find(
      ({ capabilityId, callId }) => capabilityId === REQUEST_ACCESS && idempotencyKey.endsWith(callId),
    )?.decidedBy ?? user.email
  );
}
