import type { ApprovalPolicyName } from "@capstan/client";
import { Select } from "../../kit/field.tsx";
import type { DraftProps } from "./basic-fields.tsx";

const POLICIES: Record<ApprovalPolicyName, string> = {
  auto: "Run at once",
  approve: "Ask first",
  client: "Client runs it",
  deny: "Never run",
};
const isPolicy = (text: string): text is ApprovalPolicyName => text in POLICIES;

interface ToolPolicyProps extends DraftProps {
  tool: string;
  /** The default without a setting of this agent. */
  inForce?: string | undefined;
}

/** What happens before this tool runs, chosen where the tool is shown. */
export function ToolPolicy({ tool, inForce, draft, onChange }: ToolPolicyProps) {
  const chosen = draft.tool_policies[tool];
  const set = (policy: string) => {
    const { [tool]: _, ...rest } = draft.tool_policies;
    onChange({ tool_policies: isPolicy(policy) ? { ...rest, [tool]: policy } : rest });
  };
  const usual =
    inForce !== undefined && isPolicy(inForce) && chosen === undefined ? POLICIES[inForce] : undefined;
  return (
    <Select
      aria-label={`Policy of ${tool}`}
      className="h-7! w-44! shrink-0 py-0! pr-1! pl-2! text-xs"
      value={chosen ?? ""}
      onChange={({ target }) => set(target.value)}
    >
      <option value="">{usual ? `${usual} (default)` : "Default"}</option>
      {Object.entries(POLICIES).map(([policy, label]) => (
        <option key={policy} value={policy}>
          {label}
        </option>
      ))}
    </Select>
  );
}
