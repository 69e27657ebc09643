import type { Agent, CapabilitySummary } from "@capstan/client";
import Bot from "lucide-react/icons/bot";
import Plus from "lucide-react/icons/plus";
import Trash2 from "lucide-react/icons/trash-2";
import { useState } from "react";
import { Link } from "wouter";
import { Badge } from "../../kit/badge.tsx";
import { IconButton, LinkButton } from "../../kit/button.tsx";
import { CapabilityIcon } from "../../kit/capability-icon.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { ago } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { capabilityId } from "../../server/capability-id.ts";
import { useAgents, useCapabilities } from "../../server/reads.ts";

const SHOWN_CAPABILITIES = 6;

export default function AgentList() {
  const agents = useAgents();
  const [leaving, setLeaving] = useState<Agent>();
  const newAgent = (
    <LinkButton href="/agents/new" look="primary">
      <Plus className="size-4" aria-hidden />
      New agent
    </LinkButton>
  );
  return (
    <Screen title="Agents" lead="A prompt, a model and an ordered list of capabilities." actions={newAgent}>
      <Loaded query={agents} what="Agents" rows={6}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Bot} title="No agents yet" action={newAgent}>
              Build one from this server's capabilities.
            </Empty>
          ) : (
            <ul className="grid gap-4 md:grid-cols-2">
              {items.map((agent) => (
                <li key={agent.id} className="min-w-0">
                  <AgentCard agent={agent} onDelete={() => setLeaving(agent)} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {leaving && (
        <ConfirmDialog
          title={`Delete “${leaving.name}”?`}
          action="Delete"
          change={(options) => api.agents.delete(leaving.id, options)}
          mayForce
          refreshes={["agents"]}
          onClose={() => setLeaving(undefined)}
        >
          Its sessions stay readable. This cannot be undone.
        </ConfirmDialog>
      )}
    </Screen>
  );
}

function AgentCard({ agent, onDelete }: { agent: Agent; onDelete: () => void }) {
  const known = useCapabilities().data?.items ?? [];
  const { id, name, description, capabilities, model, harness, version, updated_at } = agent;
  return (
    <article className="flex h-full flex-col gap-3 rounded-xl border border-line bg-surface p-4">
      <div className="min-w-0">
        <h2 className="truncate text-base font-semibold">
          <Link href={`/agents/${id}`} className="rounded-sm hover:underline">
            {name}
          </Link>
        </h2>
        <p className="text-xs text-ink-faint">
          Version {version} · updated {ago(updated_at)}
        </p>
      </div>
      {description && <p className="line-clamp-2 text-ink-soft">{description}</p>}
      <CapabilityChips ids={capabilities.map(capabilityId)} known={known} />
      <div className="mt-auto flex flex-wrap items-center gap-2 pt-1">
        <Badge className="block! max-w-full truncate" title={model ?? undefined}>
          {model ?? "default model"}
        </Badge>
        {harness !== "native" && <Badge tone="thought">{harness}</Badge>}
        <span className="flex-1" />
        <IconButton label={`Delete ${name}`} onClick={onDelete}>
          <Trash2 className="size-4" aria-hidden />
        </IconButton>
        <LinkButton href={`/agents/${id}`} size="sm" aria-label={`Edit ${name}`}>
          Edit
        </LinkButton>
        <LinkButton href={`/chat?agent=${id}`} size="sm" look="primary" aria-label={`Chat with ${name}`}>
          Chat
        </LinkButton>
      </div>
    </article>
  );
}

function CapabilityChips({ ids, known }: { ids: string[]; known: readonly CapabilitySummary[] }) {
  if (ids.length === 0) return <p className="text-xs text-ink-faint">No capabilities: it can only chat.</p>;
  return (
    <ul className="flex flex-wrap gap-1.5" aria-label="Capabilities">
      {ids.slice(0, SHOWN_CAPABILITIES).map((id) => {
        const capability = known.find((each) => each.id === id);
        return (
          <li key={id}>
            <Badge tone="accent">
              <CapabilityIcon name={capability?.icon} className="size-3" />
              {capability?.name ?? id}
            </Badge>
          </li>
        );
      })}
      {ids.length > SHOWN_CAPABILITIES && (
        <li>
          <Badge>{ids.length - SHOWN_CAPABILITIES} more</Badge>
        </li>
      )}
    </ul>
  );
}
