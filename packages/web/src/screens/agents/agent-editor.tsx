/** The composer: the agent on the left, its preview on the right. Nothing is saved automatically. */
import type { Agent } from "@capstan/client";
import { useEffect, useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Screen } from "../../kit/screen.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { api, failureOf } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";
import { useAgent } from "../../server/reads.ts";
import { useLeaveGuard } from "../../shell/leave-guard.ts";
import { AdvancedFields } from "./advanced-fields.tsx";
import { type AgentDraft, BLANK_DRAFT, bodyOf, draftOf, flaggedBy, patchOf } from "./agent-draft.ts";
import { BasicFields } from "./basic-fields.tsx";
import { CapabilityPicker } from "./capability-picker.tsx";
import { OrderedCapabilities } from "./ordered-capabilities.tsx";
import { Preview } from "./preview.tsx";
import { ShareAgent } from "./share-agent.tsx";
import { usePreview } from "./use-preview.ts";

export default function AgentEditor() {
  const { id } = useParams<{ id: string }>();
  const isNew = id === "new";
  const agent = useAgent(isNew ? undefined : id);
  if (isNew) return <Editor key="new" />;
  if (agent.data) return <Editor key={id} agent={agent.data} />;
  return (
    <Screen title="Agent">
      <Loaded query={agent} what="Agents" rows={6}>
        {() => null}
      </Loaded>
    </Screen>
  );
}

function Editor({ agent }: { agent?: Agent }) {
  const [, go] = useLocation();
  const [draft, setDraft] = useState<AgentDraft>(agent ? draftOf(agent) : BLANK_DRAFT);
  const change = (part: Partial<AgentDraft>) => setDraft((before) => ({ ...before, ...part }));
  const save = useChange(
    (asDraft: boolean) => {
      const named = { ...draft, name: draft.name.trim() };
      const patch = { ...(agent && patchOf(agent, named)), ...(asDraft && { save_as: "draft" as const }) };
      return agent ? api.agents.update(agent.id, patch) : api.agents.create(bodyOf(named));
    },
    ["agents", "capabilities", "status"],
  );
  const preview = usePreview(draft);
  const flagged = flaggedBy(preview.isError ? failureOf(preview.error) : undefined, draft.capabilities);
  const [kept, setKept] = useState(draft);
  const saved = (asDraft = false) =>
    save.mutate(asDraft, {
      onSuccess: ({ id }) => {
        setKept(draft);
        // The guard ends with the next drawing of the page; only then may it be left.
        if (!agent) setTimeout(() => go(`/agents/${id}`, { replace: true }));
      },
    });
  useUnsaved(draft !== kept, saved);
  return (
    <Screen
      wide
      title={agent ? agent.name : "New agent"}
      lead={
        agent
          ? `Version ${agent.version} · saving creates version ${agent.version + 1}`
          : "Choose capabilities, check the preview, save."
      }
      actions={
        <>
          {agent && <ShareAgent agent={agent} />}
          {agent && <LinkButton href={`/chat?agent=${agent.id}`}>Chat</LinkButton>}
          {agent && <LinkButton href={`/agents/${agent.id}/history`}>History</LinkButton>}
          {agent && draft !== kept && (
            <Button disabled={save.isPending} onClick={() => saved(true)}>
              Save as draft
            </Button>
          )}
          <Button
            look="primary"
            busy={save.isPending}
            doing="Saving…"
            disabled={draft.name.trim() === ""}
            onClick={() => saved()}
          >
            {agent ? "Save changes" : "Create agent"}
          </Button>
        </>
      }
    >
      {draft !== kept && (
        <UnsavedBar busy={save.isPending} disabled={draft.name.trim() === ""} onSave={() => saved()} />
      )}
      <SaveNote save={save} agent={agent} />
      <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_26rem]">
        <div className="flex min-w-0 flex-col gap-5">
          <Panel title="Basics">
            <BasicFields draft={draft} onChange={change} />
          </Panel>
          <OrderedCapabilities draft={draft} flagged={flagged} preview={preview.data} onChange={change} />
          <CapabilityPicker draft={draft} onChange={change} />
          <AdvancedFields draft={draft} preview={preview.data} onChange={change} />
        </div>
        <Preview query={preview} draft={draft} onChange={change} />
      </div>
    </Screen>
  );
}

/** Visible at any scroll position. */
const UnsavedBar = (props: { busy: boolean; disabled: boolean; onSave: () => void }) => (
  <div className="sticky top-0 z-10 flex items-center gap-3 rounded-lg border border-warn bg-warn-soft p-2 pl-3 text-warn">
    <span className="flex-1">Unsaved changes</span>
    <Button size="sm" busy={props.busy} doing="Saving…" disabled={props.disabled} onClick={props.onSave}>
      Save now
    </Button>
  </div>
);

/** With unsaved changes: leaving the page asks first, and Ctrl S saves. */
function useUnsaved(unsaved: boolean, save: () => void): void {
  useLeaveGuard(unsaved);
  useEffect(() => {
    if (!unsaved) return;
    const pressed = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key !== "s") return;
      event.preventDefault();
      save();
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  });
}

interface SaveNoteProps {
  save: { error: Error | null; isSuccess: boolean; variables: boolean | undefined };
  agent: Agent | undefined;
}

function SaveNote({ save, agent }: SaveNoteProps) {
  return (
    <div role="status" className="empty:hidden">
      <ChangeFailure error={save.error} />
      {save.isSuccess && agent && (
        <p className="rounded-lg bg-good-soft p-3 text-good">
          {save.variables ? (
            <>
              Saved as a draft; not in use yet.{" "}
              <Link href={`/agents/${agent.id}/history`} className="underline">
                Compare it or make it live
              </Link>
            </>
          ) : (
            "Saved. New messages use this version."
          )}
        </p>
      )}
    </div>
  );
}
