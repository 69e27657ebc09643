import type { ApiKey, KeyRight } from "@capstan/client";
import KeyRound from "lucide-react/icons/key-round";
import { useState } from "react";
import { Badge, Code } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { CopyButton } from "../../kit/copy-button.tsx";
import { Field, Select, TextField } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ChangeFailure, Empty, Loaded } from "../../kit/states.tsx";
import { ago } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";

const RIGHTS: [right: KeyRight, label: string][] = [
  ["read", "read: view everything"],
  ["run", "run: also chat and use agents and tools"],
  ["author", "author: also create agents and schedules"],
  ["admin", "admin: also manage users, keys and packages"],
];

export function Keys() {
  const query = useRead(["keys"], (signal) => api.keys.all({}, signal));
  return (
    <div className="flex flex-col gap-5">
      <NewKey />
      <Loaded query={query} what="API keys" rows={4}>
        {(items) =>
          items.length === 0 ? (
            <Empty icon={KeyRound} title="No keys">
              Not needed on this machine. Required for access from elsewhere.
            </Empty>
          ) : (
            <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
              {items.map((key) => (
                <li key={key.id}>
                  <KeyRow apiKey={key} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </div>
  );
}

function KeyRow({ apiKey: { id, name, owner, prefix, rights, revoked, created_at } }: { apiKey: ApiKey }) {
  const revoke = useChange(() => api.keys.revoke(id), ["keys"]);
  return (
    <div className="flex flex-wrap items-center gap-3 p-4">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {name} <Code>{prefix}…</Code>
          {rights.map((right) => (
            <Badge key={right}>{right}</Badge>
          ))}
          {revoked && <Badge tone="bad">revoked</Badge>}
        </p>
        <p className="text-xs text-ink-faint">
          {owner}, created {ago(created_at)}
        </p>
        <ChangeFailure error={revoke.error} />
      </div>
      {!revoked && (
        <Button
          size="sm"
          look="danger"
          busy={revoke.isPending}
          doing="Revoking…"
          aria-label={`Revoke ${name}`}
          onClick={() => revoke.mutate(undefined)}
        >
          Revoke
        </Button>
      )}
    </div>
  );
}

function NewKey() {
  const [name, setName] = useState("");
  const [right, setRight] = useState<KeyRight>("run");
  const create = useChange(() => api.keys.create({ name: name.trim(), rights: [right] }), ["keys"]);
  return (
    <Panel title="New key">
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(undefined, { onSuccess: () => setName("") });
        }}
      >
        <TextField label="Name" className="min-w-48 flex-1" value={name} onChange={setName} />
        <Field label="Access" className="min-w-48">
          {(control) => (
            <Select {...control} value={right} onChange={({ target }) => setRight(target.value as KeyRight)}>
              {RIGHTS.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Button
          type="submit"
          look="primary"
          disabled={name.trim() === ""}
          busy={create.isPending}
          doing="Creating…"
        >
          Create key
        </Button>
      </form>
      <div role="status" className="mt-3 empty:hidden">
        <ChangeFailure error={create.error} />
        {create.data && (
          <div className="rounded-lg bg-good-soft p-3 text-good">
            <p className="font-medium">Copy it now. You will not see it again.</p>
            <p className="mt-1 flex items-center gap-2">
              <code className="min-w-0 text-xs break-all">{create.data.key}</code>
              <CopyButton text={create.data.key} label="Copy key" />
            </p>
          </div>
        )}
      </div>
    </Panel>
  );
}
