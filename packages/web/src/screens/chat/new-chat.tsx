import type { Agent } from "@capstan/client";
import MessageSquare from "lucide-react/icons/message-square";
import { type ReactNode, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Field, Select } from "../../kit/field.tsx";
import { useTabTitle } from "../../kit/screen.tsx";
import { ChangeFailure, Empty, Loaded } from "../../kit/states.tsx";
import { ModelButton } from "../../models/model-button.tsx";
import { api } from "../../server/api.ts";
import { capabilityId } from "../../server/capability-id.ts";
import { useChange } from "../../server/queries.ts";
import { useAgents } from "../../server/reads.ts";
import { useStatus } from "../../server/use-status.ts";
import { FirstSteps } from "../home/first-steps.tsx";
import { Composer } from "./composer.tsx";
import { takenByRouter } from "./routing.ts";
import { type Outgoing, sendMessage } from "./send-message.ts";
import { suggestionsFor } from "./suggestions.ts";
import { useAbilities } from "./use-abilities.ts";

export function NewChat({ others }: { others: ReactNode }) {
  useTabTitle("New chat");
  const agents = useAgents();
  return (
    <div className="flex h-full flex-col">
      <div className="px-2 pt-2 empty:hidden lg:hidden">{others}</div>
      <Loaded query={agents} what="Agents">
        {({ items }) => (items.length === 0 ? <NoAgents /> : <Begin agents={items} />)}
      </Loaded>
    </div>
  );
}

const NoAgents = () => (
  <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 p-4 md:p-8">
    <h1 className="text-xl font-semibold">New chat</h1>
    <FirstSteps />
  </div>
);

function Begin({ agents }: { agents: Agent[] }) {
  const [, go] = useLocation();
  const asked = new URLSearchParams(useSearch()).get("agent");
  const [chosen, choose] = useState(asked ?? "");
  const [model, setModel] = useState<string>();
  const agent = agents.find(({ id }) => id === chosen) ?? agents[0];
  const start = useChange(
    async (outgoing: Outgoing) => {
      const session = await api.sessions.create({
        agent_id: agent?.id ?? "",
        ...(model !== undefined && { metadata: { model } }),
      });
      if (!session.ok) return session;
      if (await takenByRouter(session.value.id, outgoing)) return session;
      const sent = await sendMessage(session.value.id, { ...outgoing, model });
      return sent.ok ? session : sent;
    },
    ["sessions", "status"],
  );
  const abilities = useAbilities(agent?.id);
  const byDefault = useStatus().data?.model.name;
  const isDemo = agent?.harness === "native" && (model ?? agent.model ?? byDefault) === "capstan/offline";
  const send = async (outgoing: Outgoing) => {
    const session = await start.mutateAsync(outgoing);
    go(`/chat/${session.id}`);
  };
  if (!agent)
    return (
      <Empty title="No agents yet" action={<LinkButton href="/agents/new">Create an agent</LinkButton>} />
    );
  return (
    <>
      <div className="scroll-quiet flex min-h-0 flex-1 flex-col items-center justify-center gap-6 overflow-y-auto p-4">
        <MessageSquare className="size-8 text-accent" aria-hidden />
        <h1 className="text-center text-xl font-semibold">What should {agent.name} do?</h1>
        <Field label="Agent" className="w-full max-w-xs">
          {(control) => (
            <Select {...control} value={agent.id} onChange={({ target }) => choose(target.value)}>
              {agents.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <ul className="flex max-w-2xl flex-wrap justify-center gap-2" aria-label="Suggestions">
          {suggestionsFor(agent.capabilities.map(capabilityId), isDemo).map((text) => (
            <li key={text}>
              <Button size="sm" disabled={start.isPending} onClick={() => void send({ text, files: [] })}>
                {text}
              </Button>
            </li>
          ))}
        </ul>
        <ChangeFailure error={start.error} />
      </div>
      <Composer
        draftOf="new"
        abilities={abilities}
        busy={start.isPending}
        placeholder={`Message ${agent.name}`}
        model={
          agent.harness === "native" && (
            <ModelButton
              className="max-w-44"
              model={model ?? agent.model ?? undefined}
              inherit={agent.model ? `The agent's model (${agent.model})` : "Default model"}
              onChoose={setModel}
            />
          )
        }
        onSend={send}
      />
    </>
  );
}
