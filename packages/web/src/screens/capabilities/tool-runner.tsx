/** Runs one tool through the gate: directly, or with an agent's rights and policies. */
import type { ToolAnswer, ToolDetail, ToolRun } from "@capstan/client";
import { useState } from "react";
import { Link } from "wouter";
import { blankGroup, fieldsOf, filled, type Json } from "../../forms/schema-fields.ts";
import { SchemaForm } from "../../forms/schema-form.tsx";
import { ActionButton } from "../../kit/button.tsx";
import { Field, Select } from "../../kit/field.tsx";
import { JsonView } from "../../kit/json-view.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { duration } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useCancellableChange } from "../../server/queries.ts";
import { useAgents, useSessions } from "../../server/reads.ts";
import { sessionTitle } from "../../sessions/session-row.tsx";

export function ToolRunner({ capabilityId, tool }: { capabilityId: string; tool: ToolDetail }) {
  const fields = fieldsOf(tool.input_schema) ?? [];
  const [input, setInput] = useState<Json>(() => blankGroup(fields));
  const [agentId, setAgentId] = useState("");
  const [sessionId, setSessionId] = useState("");
  const { change: run, cancel } = useCancellableChange(
    (call: ToolRun, signal) => api.capabilities.runTool(capabilityId, tool.name, call, signal),
    ["approvals", "telemetry"],
  );
  const send = () =>
    run.mutate({
      input: filled(fields, input),
      ...(agentId && { agent_id: agentId }),
      ...(sessionId && { session_id: sessionId }),
    });
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <SchemaForm schema={tool.input_schema} value={input} onChange={setInput} />
      <div className="grid gap-4 sm:grid-cols-2">
        <AgentChoice value={agentId} onChange={setAgentId} />
        {tool.requires_context && <SessionChoice value={sessionId} onChange={setSessionId} />}
      </div>
      <ActionButton
        type="submit"
        look="primary"
        busy={run.isPending}
        doing={`Running ${tool.name}…`}
        onCancel={cancel}
      >
        Run {tool.name}
      </ActionButton>
      <div role="status" className="empty:hidden">
        <ChangeFailure error={run.error} />
        {run.data && <Answer data={run.data} />}
      </div>
    </form>
  );
}

function Answer({ data }: { data: ToolAnswer }) {
  if ("approval_id" in data)
    return (
      <p className="rounded-lg bg-warn-soft p-3 text-warn">
        Approval is required. It is waiting in the{" "}
        <Link href="/approvals" className="font-medium underline">
          inbox
        </Link>
        .
      </p>
    );
  return (
    <div className="flex flex-col gap-1">
      <p className="text-xs text-ink-faint">Answered in {duration(data.duration_ms)}</p>
      <JsonView value={data.output} label="Output" />
    </div>
  );
}

interface ChoiceProps {
  value: string;
  onChange: (value: string) => void;
}

function AgentChoice({ value, onChange }: ChoiceProps) {
  const agents = useAgents().data?.items ?? [];
  return (
    <Field label="As" hint="An agent's rights and policies apply.">
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">itself, with your rights</option>
          {agents.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function SessionChoice({ value, onChange }: ChoiceProps) {
  const sessions = useSessions().data?.items ?? [];
  return (
    <Field label="In session" hint="It works on a session's files or data.">
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">none</option>
          {sessions.map((session) => (
            <option key={session.id} value={session.id}>
              {sessionTitle(session)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
