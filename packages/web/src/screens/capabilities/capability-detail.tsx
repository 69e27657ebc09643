import type { CapabilityDetail as Detail } from "@capstan/client";
import { Link, useParams } from "wouter";
import { Badge, Code } from "../../kit/badge.tsx";
import { CapabilityTile } from "../../kit/capability-icon.tsx";
import { codes, Fact } from "../../kit/fact.tsx";
import { JsonView } from "../../kit/json-view.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Loaded } from "../../kit/states.tsx";
import { words } from "../../kit/words.ts";
import { useCapability } from "../../server/reads.ts";
import { CapabilityVersions } from "./capability-versions.tsx";
import { ToolPanel } from "./tool-panel.tsx";

export default function CapabilityDetail() {
  const { id = "" } = useParams<{ id: string }>();
  const query = useCapability(id);
  return (
    <Screen title={query.data?.name ?? words(id)} lead={query.data?.description} actions={<BackLink />}>
      <Loaded query={query} what="Capabilities" rows={8}>
        {(capability) => <Whole capability={capability} />}
      </Loaded>
    </Screen>
  );
}

const BackLink = () => (
  <Link href="/capabilities" className="text-sm font-medium text-accent-ink hover:underline">
    All capabilities
  </Link>
);

function Whole({ capability }: { capability: Detail }) {
  return (
    <>
      <Facts capability={capability} />
      {capability.system_prompt && (
        <Panel title="Prompt">
          <p className="whitespace-pre-wrap text-ink-soft">{capability.system_prompt}</p>
        </Panel>
      )}
      {capability.tools.map((tool) => (
        <ToolPanel key={tool.name} capabilityId={capability.id} tool={tool} />
      ))}
      {capability.tools.length === 0 && (
        <Panel title="Tools">
          <p className="text-ink-soft">No tools.</p>
        </Panel>
      )}
      {capability.config_schema && (
        <Panel title="Config schema">
          <JsonView value={capability.config_schema} label="Config schema" />
        </Panel>
      )}
      <CapabilityVersions id={capability.id} />
      <Usage capability={capability} />
    </>
  );
}

function Facts({ capability }: { capability: Detail }) {
  const { id, icon, status, risk, source, version, category, dependencies, required_scopes, hooks, routing } =
    capability;
  return (
    <Panel>
      <div className="flex flex-col gap-4 sm:flex-row">
        <CapabilityTile name={icon} className="size-12" />
        <dl className="grid flex-1 grid-cols-[auto_1fr] gap-x-6 gap-y-2 sm:grid-cols-[auto_1fr_auto_1fr]">
          <Fact name="Id">
            <Code>{id}</Code>
          </Fact>
          <Fact name="Version">{version}</Fact>
          <Fact name="Status">
            <Badge tone={status === "available" ? "good" : "warn"}>{words(status)}</Badge>
          </Fact>
          <Fact name="Risk">
            <Badge tone={risk === "high" ? "bad" : risk === "medium" ? "warn" : "plain"}>{words(risk)}</Badge>
          </Fact>
          <Fact name="Category">{category ?? "Other"}</Fact>
          <Fact name="Source">{source}</Fact>
          <Fact name="Scopes">{codes(required_scopes)}</Fact>
          <Fact name="Needs">
            {dependencies.length === 0
              ? "nothing"
              : dependencies.map((each) => (
                  <Link key={each} href={`/capabilities/${each}`} className="mr-2 text-accent-ink underline">
                    {each}
                  </Link>
                ))}
          </Fact>
          {hooks.length > 0 && <Fact name="Hooks">{hooks.join(", ")}</Fact>}
          {routing.triggers && routing.triggers.length > 0 && (
            <Fact name="Found by">{routing.triggers.join(", ")}</Fact>
          )}
        </dl>
      </div>
    </Panel>
  );
}

function Usage({ capability: { documentation, used_by } }: { capability: Detail }) {
  return (
    <div className="grid items-start gap-5 md:grid-cols-2">
      <Panel title="Used by">
        {used_by.length === 0 ? (
          <p className="text-ink-soft">No agents use it yet.</p>
        ) : (
          <ul className="flex flex-col gap-1">
            {used_by.map(({ id, name }) => (
              <li key={id}>
                <Link href={`/agents/${id}`} className="text-accent-ink underline">
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      {documentation && (
        <Panel title="Usage">
          {documentation.usage && <p className="whitespace-pre-wrap text-ink-soft">{documentation.usage}</p>}
          <ul className="mt-2 flex flex-col gap-1">
            {documentation.examples?.map((example) => (
              <li key={example}>
                <Code>{example}</Code>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </div>
  );
}
