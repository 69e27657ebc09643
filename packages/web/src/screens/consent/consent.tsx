/** A client asks to log in: who it is, and which agent and tools it may use. The person decides and is sent back. */
import type { ClientLoginReview } from "@capstan/client";
import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Field, Select } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Screen } from "../../kit/screen.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { useAgents } from "../../server/reads.ts";
import { ToolChoice } from "./tool-choice.tsx";

const SURFACES: Readonly<Record<ClientLoginReview["surface"], string>> = {
  mcp: "call tools over MCP",
  a2a: "give it tasks over A2A",
  "ag-ui": "chat with it over AG-UI, and answer its approvals",
  "ai-sdk": "chat with it over the AI SDK, and answer its approvals",
  openai: "chat with it as a model of the OpenAI API",
};

export default function Consent() {
  const request = Object.fromEntries(new URLSearchParams(location.search));
  const [chosen, setChosen] = useState<string>();
  const query = useRead(
    ["client-login", location.search, chosen],
    (signal) =>
      api.clientLogins.review({ request, ...(chosen !== undefined && { agent_id: chosen }) }, signal),
    { keepPrevious: true },
  );
  return (
    <Screen
      title="Log in a client"
      lead="A program asks to act on your behalf. Allow it only if you started this."
    >
      <Loaded query={query} what="Login requests">
        {(review) => (
          <Decision
            key={review.agent_id ?? chosen}
            review={review}
            request={request}
            agentId={review.agent_id ?? chosen}
            onAgent={setChosen}
          />
        )}
      </Loaded>
    </Screen>
  );
}

interface DecisionProps {
  review: ClientLoginReview;
  request: Record<string, string>;
  agentId: string | undefined;
  onAgent: (id: string) => void;
}

function Decision({ review, request, agentId, onAgent }: DecisionProps) {
  const [scopes, setScopes] = useState<string[]>(review.scopes);
  const answer = useChange((allow: boolean) =>
    api.clientLogins.answer({
      request,
      allow,
      ...(allow && agentId !== undefined && { agent_id: agentId, scopes }),
    }),
  );
  const decide = (allow: boolean) =>
    answer.mutate(allow, { onSuccess: ({ redirect_to }) => location.assign(redirect_to) });
  return (
    <div className="flex max-w-2xl flex-col gap-5">
      <Client review={review} />
      <Panel title="The agent it may act as">
        {review.agent_id === null ? (
          <AgentChoice value={agentId} onChange={onAgent} />
        ) : (
          <AgentName id={review.agent_id} />
        )}
      </Panel>
      {agentId !== undefined && <ToolChoice review={review} scopes={scopes} onChange={setScopes} />}
      <ChangeFailure error={answer.error} />
      <div className="flex flex-wrap gap-3">
        <Button
          look="primary"
          disabled={agentId === undefined || scopes.length === 0}
          busy={answer.isPending}
          doing="Sending…"
          onClick={() => decide(true)}
        >
          Allow
        </Button>
        <Button disabled={answer.isPending} onClick={() => decide(false)}>
          Deny
        </Button>
      </div>
      <p className="text-xs text-ink-faint">
        It acts with your rights and the agent's, never more; tools that need approval still ask you. You can
        end it at any time in Settings, Tokens.
      </p>
    </div>
  );
}

function Client({ review: { client, surface } }: { review: ClientLoginReview }) {
  return (
    <Panel title={client.name}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        <dt className="text-ink-soft">Described at</dt>
        <dd>
          {client.host ?? "not verified: the program chose this name itself"}
          {client.host !== null && client.loopback && ": any program on your machine could claim that"}
        </dd>
        <dt className="text-ink-soft">The login goes to</dt>
        <dd className="font-medium">{client.receiver}</dd>
        <dt className="text-ink-soft">It wants to</dt>
        <dd>{SURFACES[surface]}</dd>
      </dl>
    </Panel>
  );
}

function AgentChoice({ value, onChange }: { value: string | undefined; onChange: (id: string) => void }) {
  const agents = useAgents();
  return (
    <Field label="Agent" hint="The client only sees this agent's tools.">
      {(control) => (
        <Select {...control} value={value ?? ""} onChange={({ target }) => onChange(target.value)}>
          <option value="" disabled>
            Choose an agent
          </option>
          {(agents.data?.items ?? []).map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function AgentName({ id }: { id: string }) {
  const agents = useAgents();
  const agent = agents.data?.items.find((each) => each.id === id);
  return <p className="font-medium">{agent?.name ?? id}</p>;
}
