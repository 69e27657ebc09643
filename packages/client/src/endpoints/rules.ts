/** Rules: which calls are allowed, require approval or are denied, and the effect of a change. */
import type { Connection } from "../connection.ts";
import { pagedList } from "../every-page.ts";
import type {
  CallExplanation,
  Rule,
  RuleCheck,
  RuleCheckResult,
  RuleCreate,
  RulePatch,
  RuleProposal,
  RuleQuery,
  RuleSimulate,
  RuleSimulation,
} from "../wire/rules.ts";

const part = encodeURIComponent;

export const ruleEndpoints = ({ json }: Connection) => ({
  ...pagedList<Rule, RuleQuery>({ json }, "/v1/rules"),
  get: (id: string, signal?: AbortSignal) => json<Rule>("GET", `/v1/rules/${part(id)}`, { signal }),
  create: (rule: RuleCreate) => json<Rule>("POST", "/v1/rules", { json: rule }),
  change: (id: string, patch: RulePatch) => json<Rule>("PATCH", `/v1/rules/${part(id)}`, { json: patch }),
  remove: (id: string) => json<void>("DELETE", `/v1/rules/${part(id)}`),
  /** What would happen to a call; nothing runs. */
  check: (call: RuleCheck) => json<RuleCheckResult>("POST", "/v1/rules/check", { json: call }),
  /** A call that was made, and what the gate says of it now. */
  explain: (callId: string, signal?: AbortSignal) =>
    json<CallExplanation>("GET", `/v1/rules/explain/${part(callId)}`, { signal }),
  simulate: (trial: RuleSimulate, signal?: AbortSignal) =>
    json<RuleSimulation>("POST", "/v1/rules/simulate", { json: trial, signal }),
  /** The narrowest rule that would allow an approval's call. */
  propose: (approvalId: string, signal?: AbortSignal) =>
    json<RuleProposal>("GET", `/v1/approvals/${part(approvalId)}/rule`, { signal }),
});
