/** Who can use an agent: its owner, named people and groups with individual rights, or everyone. */
import type { Agent, AgentSharingWire } from "@capstan/client";
import X from "lucide-react/icons/x";
import { useState } from "react";
import { Button, IconButton } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Field, Select, TextInput } from "../../kit/field.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";

type Share = NonNullable<AgentSharingWire["shares"]>[number];
type Access = AgentSharingWire["access"];

const ACCESS: readonly [Access, string][] = [
  ["private", "Only the owner and admins"],
  ["shared", "The people and groups below"],
  ["all", "Everybody"],
];
const RIGHTS = ["use", "change", "approve"] as const;

export function ShareAgent({ agent }: { agent: Agent }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Share</Button>
      {open && <ShareDialog agent={agent} onClose={() => setOpen(false)} />}
    </>
  );
}

function ShareDialog({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const current = useRead(["agents", agent.id, "shares"], (signal) => api.agents.shares(agent.id, signal));
  if (current.data) return <ShareForm agent={agent} current={current.data} onClose={onClose} />;
  return (
    <Dialog title={`Share ${agent.name}`} onClose={onClose}>
      <Loaded query={current} what="Shares">
        {() => null}
      </Loaded>
    </Dialog>
  );
}

interface ShareFormProps {
  agent: Agent;
  current: AgentSharingWire;
  onClose: () => void;
}

function ShareForm({ agent, current, onClose }: ShareFormProps) {
  const [access, setAccess] = useState(current.access);
  const [shares, setShares] = useState<readonly Share[]>(current.shares ?? []);
  const save = useChange(async () => {
    const saved = await api.agents.share(agent.id, {
      access,
      shares: access === "private" ? [] : [...shares],
    });
    if (saved.ok) onClose();
    return saved;
  }, ["agents"]);
  const change = (at: number, share: Share) => setShares(shares.with(at, share));
  return (
    <Dialog
      title={`Share ${agent.name}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" busy={save.isPending} doing="Saving…" onClick={() => save.mutate(undefined)}>
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Who can use it">
          {(control) => (
            <Select {...control} value={access} onChange={({ target }) => setAccess(target.value as Access)}>
              {ACCESS.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {access !== "private" && (
          <>
            {shares.map((share, at) => (
              <ShareRow
                // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name while it is typed
                key={at}
                share={share}
                onChange={(changed) => change(at, changed)}
                onRemove={() => setShares(shares.toSpliced(at, 1))}
              />
            ))}
            <Button
              className="self-start"
              onClick={() => setShares([...shares, { with: "user:", rights: ["use"] }])}
            >
              Add a person or group
            </Button>
          </>
        )}
        <ChangeFailure error={save.error} />
      </div>
    </Dialog>
  );
}

interface ShareRowProps {
  share: Share;
  onChange: (share: Share) => void;
  onRemove: () => void;
}

function ShareRow({ share, onChange, onRemove }: ShareRowProps) {
  const toggle = (right: Share["rights"][number], on: boolean) =>
    onChange({
      ...share,
      rights: RIGHTS.filter((each) => (each === right ? on : share.rights.includes(each))),
    });
  return (
    <fieldset className="flex flex-wrap items-end gap-x-4 gap-y-2 rounded-lg border border-line p-3">
      <legend className="sr-only">{share.with}</legend>
      <Field label="With" hint="user:ann@example.com or group:department=sales" className="min-w-56 flex-1">
        {(control) => (
          <TextInput
            {...control}
            value={share.with}
            onChange={({ target }) => onChange({ ...share, with: target.value })}
          />
        )}
      </Field>
      <div className="flex h-9 items-center gap-3 self-start pt-6">
        {RIGHTS.map((right) => (
          <label key={right} className="flex items-center gap-1.5 text-sm">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={share.rights.includes(right)}
              onChange={({ target }) => toggle(right, target.checked)}
            />
            {right}
          </label>
        ))}
        <IconButton label={`Remove ${share.with}`} onClick={onRemove}>
          <X className="size-4" aria-hidden />
        </IconButton>
      </div>
    </fieldset>
  );
}
