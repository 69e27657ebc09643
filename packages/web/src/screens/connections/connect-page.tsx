/** Which agent wants which account for which tool. The person chooses for how long, then consents at the provider. */
import type { ConnectionProviderInfo, ConnectionStart } from "@capstan/client";
import { useState } from "react";
import { useLocation } from "wouter";
import { Code } from "../../kit/badge.tsx";
import { ActionButton, Button } from "../../kit/button.tsx";
import { Field, Select, TextInput } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Screen } from "../../kit/screen.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useCancellableChange, useChange, useRead } from "../../server/queries.ts";
import { useAgents } from "../../server/reads.ts";

interface Asked {
  readonly provider: string;
  readonly scopes: readonly string[];
  readonly agentId: string | undefined;
  readonly agentName: string | undefined;
  readonly tool: string | undefined;
  readonly reason: string | undefined;
  readonly approvalId: string | undefined;
  readonly status: string;
}

export function ConnectPage() {
  const query = new URLSearchParams(location.search);
  const approval = query.get("approval");
  return (
    <Screen title="Connect an account" lead="An agent can then use it on your behalf only.">
      {approval === null ? <FromAddress query={query} /> : <FromApproval id={approval} />}
    </Screen>
  );
}

function FromApproval({ id }: { id: string }) {
  const query = useRead(["approvals", id], (signal) => api.approvals.get(id, signal));
  return (
    <Loaded query={query} what="Approval">
      {(approval) => {
        const { provider = "", scopes = [] } = approval.input as { provider?: string; scopes?: string[] };
        return (
          <Question
            asked={{
              provider,
              scopes,
              agentId: approval.agent_id,
              agentName: approval.agent_name ?? approval.agent_id,
              tool: approval.tool,
              reason: approval.reason,
              approvalId: id,
              status: approval.status,
            }}
          />
        );
      }}
    </Loaded>
  );
}

function FromAddress({ query }: { query: URLSearchParams }) {
  const agentId = query.get("agent") ?? undefined;
  const agent = useAgents().data?.items.find(({ id }) => id === agentId);
  return (
    <Question
      asked={{
        provider: query.get("provider") ?? "",
        scopes: query.get("scopes")?.split(" ").filter(Boolean) ?? [],
        agentId,
        agentName: agent?.name ?? agentId,
        tool: undefined,
        reason: undefined,
        approvalId: undefined,
        status: "pending",
      }}
    />
  );
}

function Question({ asked }: { asked: Asked }) {
  const query = useRead(["connection-providers"], (signal) => api.connections.providers(signal));
  return (
    <Loaded query={query} what="Providers">
      {({ items }) => {
        const provider = items.find(({ id }) => id === asked.provider);
        if (!provider) return <p>There is no provider “{asked.provider}” on this server.</p>;
        if (asked.status !== "pending") return <p>Already answered: {asked.status}.</p>;
        return <Decision asked={asked} provider={provider} />;
      }}
    </Loaded>
  );
}

type Term = NonNullable<ConnectionStart["term"]>;
const TERMS: readonly { term: Term; label: string }[] = [
  { term: "once", label: "For this call only" },
  { term: "time", label: "For 24 hours" },
  { term: "always", label: "Until I revoke it" },
];

function Decision({ asked, provider }: { asked: Asked; provider: ConnectionProviderInfo }) {
  const [, go] = useLocation();
  const [term, setTerm] = useState<Term>(asked.approvalId === undefined ? "always" : "once");
  const [secret, setSecret] = useState<Pick<ConnectionStart, "key" | "user" | "password">>({});
  const [scopes, setScopes] = useState(asked.scopes.join(" "));
  const { approvalId, agentId } = asked;
  const { change: start, cancel } = useCancellableChange(
    (_: undefined, signal) =>
      api.connections.start(
        {
          ...(approvalId === undefined
            ? {
                provider: provider.id,
                scopes: scopes.split(/[\s,]+/).filter(Boolean),
                ...(agentId && { agent_id: agentId }),
              }
            : { approval_id: approvalId }),
          term,
          ...secret,
        },
        signal,
      ),
    ["connections", "approvals", "status"],
  );
  const deny = useChange(
    () => api.approvals.answer(approvalId ?? "", { decision: "deny" }),
    ["approvals", "status"],
  );
  return (
    <form
      className="flex max-w-2xl flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate(undefined, {
          onSuccess: ({ authorization_url }) =>
            authorization_url === null ? go("/connections") : location.assign(authorization_url),
        });
      }}
    >
      <About asked={asked} provider={provider} />
      {approvalId === undefined && provider.kind === "oauth2" && (
        <Field label="Scopes" hint="Separated by spaces, spelled as the provider does.">
          {(control) => (
            <TextInput {...control} value={scopes} onChange={({ target }) => setScopes(target.value)} />
          )}
        </Field>
      )}
      <KeyFields kind={provider.kind} value={secret} onChange={setSecret} />
      <Field label="For how long may the agent use it?">
        {(control) => (
          <Select {...control} value={term} onChange={({ target }) => setTerm(target.value as Term)}>
            {TERMS.filter((each) => approvalId !== undefined || each.term !== "once").map((each) => (
              <option key={each.term} value={each.term}>
                {each.label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <ChangeFailure error={start.error ?? deny.error} />
      <div className="flex flex-wrap gap-3">
        <ActionButton
          type="submit"
          look="primary"
          busy={start.isPending}
          doing="Connecting…"
          onCancel={cancel}
        >
          {provider.kind === "oauth2" ? `Continue to ${provider.name}` : "Connect"}
        </ActionButton>
        {approvalId !== undefined && (
          <Button
            disabled={deny.isPending}
            onClick={() => deny.mutate(undefined, { onSuccess: () => go("/approvals") })}
          >
            Deny
          </Button>
        )}
      </div>
    </form>
  );
}

function About({ asked, provider }: { asked: Asked; provider: ConnectionProviderInfo }) {
  return (
    <Panel title={`Your account at ${provider.name}`}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
        <dt className="text-ink-soft">Who asks</dt>
        <dd className="font-medium">{asked.agentName ?? "You, for every agent you use"}</dd>
        {asked.tool && (
          <>
            <dt className="text-ink-soft">For the tool</dt>
            <dd>
              <Code>{asked.tool}</Code>
            </dd>
          </>
        )}
        {asked.scopes.length > 0 && (
          <>
            <dt className="text-ink-soft">It wants</dt>
            <dd className="flex flex-wrap gap-2">
              {asked.scopes.map((scope) => (
                <Code key={scope}>{scope}</Code>
              ))}
            </dd>
          </>
        )}
        <dt className="text-ink-soft">Tokens go to</dt>
        <dd>{provider.hosts.join(", ")}; no other hosts</dd>
        {asked.reason && (
          <>
            <dt className="text-ink-soft">Why now</dt>
            <dd>{asked.reason}</dd>
          </>
        )}
      </dl>
    </Panel>
  );
}

type Secret = Pick<ConnectionStart, "key" | "user" | "password">;

function KeyFields({
  kind,
  value,
  onChange,
}: {
  kind: ConnectionProviderInfo["kind"];
  value: Secret;
  onChange: (value: Secret) => void;
}) {
  const field = (name: keyof Secret, label: string, type: "text" | "password") => (
    <Field label={label} required>
      {(control) => (
        <TextInput
          {...control}
          type={type}
          autoComplete="off"
          value={value[name] ?? ""}
          onChange={({ target }) => onChange({ ...value, [name]: target.value })}
        />
      )}
    </Field>
  );
  if (kind === "api_key") return field("key", "Key", "password");
  if (kind !== "basic") return null;
  return (
    <>
      {field("user", "User name", "text")}
      {field("password", "Password", "password")}
    </>
  );
}
