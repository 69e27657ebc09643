/** /v1/capabilities/{id}/test: repeats recorded calls with the currently registered code. Nothing with side effects runs. */
import { CapabilityTestCreate, CapabilityTestReport } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import { isBreaking, TEST_VERDICTS, type TestVerdict } from "@capstan/core/internal";
import { type AuditLog, type CapabilityTest, testCapability } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { ownerFilter } from "../auth/ownership.ts";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { type CapabilityRouteParts, hiddenDelegates } from "./capability-routes.ts";

const testRoute = createRoute({
  operationId: "testCapability",
  ...needs("replay", "change"),
  method: "post",
  path: "/v1/capabilities/{id}/test",
  summary: "Make its recorded calls again with the code of now; only tools that only read are called",
  request: { params: Id, body: jsonBody(CapabilityTestCreate) },
  responses: { 200: json(CapabilityTestReport, "A verdict for each call.") },
});

type TestParts = Parameters<typeof testCapability>[0];

export interface TestRouteParts extends TestParts, Pick<CapabilityRouteParts, "registry" | "sharing"> {
  readonly audit: AuditLog;
}

export function testRoutes(parts: TestRouteParts) {
  const routes = newRoutes("capabilities");
  routes.openapi(testRoute, async (c) => {
    const { id } = c.req.valid("param");
    const caller = c.get("caller");
    if ((await hiddenDelegates(parts, caller)).has(id))
      return problem(c, fail("not_found", { what: "capability", id }).failure);
    const tested = await testCapability(parts, {
      capabilityId: id,
      owner: ownerFilter(caller),
      by: caller.email,
      limit: c.req.valid("json").limit,
      signal: c.req.raw.signal,
    });
    if (!tested.ok) return problem(c, tested.failure);
    const report = reportOf(id, tested.value);
    const details = { version: report.version, verdict: report.verdict, calls: report.calls.length };
    await parts.audit.add({ actor: caller.email, action: "capability.tested", subject: id, details });
    return c.json(report, 200);
  });
  return routes;
}

function reportOf(id: string, { version, calls, isComplete }: CapabilityTest): CapabilityTestReport {
  const count = (verdict: TestVerdict) => calls.filter((call) => call.verdict === verdict).length;
  const counts = Object.fromEntries(TEST_VERDICTS.map((verdict) => [verdict, count(verdict)]));
  return {
    capability_id: id,
    version,
    verdict: verdictOf(calls, isComplete),
    counts: counts as CapabilityTestReport["counts"],
    calls: calls.map(({ runId, callId, tool, verdict, why, isLive, shown }) => ({
      run_id: runId,
      call_id: callId,
      tool,
      verdict,
      why,
      live: isLive,
      input: shown?.input ?? null,
      before: shown?.before ?? null,
      after: shown?.after ?? null,
    })),
  };
}

function verdictOf(calls: CapabilityTest["calls"], isComplete: boolean): CapabilityTestReport["verdict"] {
  if (calls.some(({ verdict }) => isBreaking(verdict))) return "breaking";
  if (!isComplete) return "incomplete";
  return calls.every(({ verdict }) => verdict === "not_tested") ? "untested" : "same";
}
