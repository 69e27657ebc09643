/** The versions of a capability and the agents on each; nothing where there is only one. */
import { Link } from "wouter";
import { Badge } from "../../kit/badge.tsx";
import { Panel } from "../../kit/panel.tsx";
import { useCapabilityVersions } from "../../server/reads.ts";

export function CapabilityVersions({ id }: { id: string }) {
  const versions = useCapabilityVersions(id).data?.items ?? [];
  if (versions.length < 2) return null;
  return (
    <Panel title="Versions">
      <ul className="flex flex-col gap-2">
        {versions.map(({ version, registered, by, used_by }) => (
          <li key={version} className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
            <span className="numbers font-medium">{version}</span>
            <Badge tone={registered ? "good" : "plain"}>{registered ? "Registered" : "Kept"}</Badge>
            {by && <span className="text-ink-soft">by {by}</span>}
            {used_by.map((agent) => (
              <Link key={agent.id} href={`/agents/${agent.id}`} className="text-accent-ink underline">
                {agent.name}
              </Link>
            ))}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
