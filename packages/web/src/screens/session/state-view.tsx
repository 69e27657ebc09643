import type { Session } from "@capstan/client";
import type { JsonValue } from "@capstan/core";
import { JsonView } from "../../kit/json-view.tsx";
import { Panel } from "../../kit/panel.tsx";

/** The state that the agent and its clients share: as the events tell it, or as it was stored. */
export function StateView({ session, state }: { session: Session; state: JsonValue | undefined }) {
  const current = state ?? session.state;
  const isEmpty =
    current === null || (typeof current === "object" && Object.keys(current as object).length === 0);
  return (
    <div className="flex flex-col gap-5">
      <Panel title="Shared state">
        {isEmpty ? (
          <p className="text-ink-soft">Empty. Agents and clients update it with state events.</p>
        ) : (
          <JsonView value={current} label="Shared state" />
        )}
      </Panel>
      <Panel title="Metadata">
        {Object.keys(session.metadata).length === 0 ? (
          <p className="text-ink-soft">None. Clients set it when they create or change a session.</p>
        ) : (
          <JsonView value={session.metadata} label="Metadata" />
        )}
      </Panel>
    </div>
  );
}
