import type { User } from "@capstan/client";
import { useState } from "react";
import { Badge, Code } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Field, TextArea, TextField } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { Grants } from "./grants.tsx";
import { WeightForm } from "./weight-form.tsx";

export function Users() {
  const query = useRead(["users"], (signal) => api.users.all({}, signal));
  return (
    <div className="flex flex-col gap-5">
      <NewUser />
      <Loaded query={query} what="Users" rows={4}>
        {(items) => (
          <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
            {items.map((user) => (
              <li key={user.email}>
                <UserRow key={user.scopes.join()} user={user} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Grants />
    </div>
  );
}

const scopesIn = (text: string): string[] => text.split(/\s+/).filter((scope) => scope !== "");

type Part = "scopes" | "weight";

function UserRow({ user }: { user: User }) {
  const [open, setOpen] = useState<Part>();
  const toggle = (part: Part) => setOpen(open === part ? undefined : part);
  const close = () => setOpen(undefined);
  return (
    <div className="flex flex-col gap-3 p-4">
      <div className="flex flex-wrap items-center gap-3">
        <div className="min-w-0 flex-1 basis-56">
          <p className="font-medium break-words">{user.email}</p>
          <p className="mt-1 flex flex-wrap gap-1">
            {user.weight !== 1 && <Badge>weight {user.weight}</Badge>}
            <ScopeBadges scopes={user.scopes} />
          </p>
        </div>
        <div className="flex gap-2">
          <Button
            size="sm"
            aria-expanded={open === "weight"}
            aria-label={`Change the weight of ${user.email}`}
            onClick={() => toggle("weight")}
          >
            Weight
          </Button>
          <Button
            size="sm"
            aria-expanded={open === "scopes"}
            aria-label={`Scopes of ${user.email}`}
            onClick={() => toggle("scopes")}
          >
            Scopes
          </Button>
        </div>
      </div>
      {open === "weight" && (
        <WeightForm
          of={user.email}
          weight={user.weight}
          save={(weight) => api.users.put(user.email, { weight })}
          list="users"
          onSaved={close}
        />
      )}
      {open === "scopes" && <UserScopes user={user} onSaved={close} />}
    </div>
  );
}

function ScopeBadges({ scopes }: { scopes: readonly string[] }) {
  if (scopes.length === 0) return <span className="text-xs text-ink-faint">No scopes</span>;
  return scopes.map((scope) =>
    scope === "*" ? (
      <Badge key={scope} tone="accent">
        all scopes
      </Badge>
    ) : (
      <Code key={scope}>{scope}</Code>
    ),
  );
}

function UserScopes({ user, onSaved }: { user: User; onSaved: () => void }) {
  const [text, setText] = useState(user.own_scopes.join("\n"));
  const save = useChange(() => api.users.put(user.email, { scopes: scopesIn(text) }), ["users", "preview"]);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined, { onSuccess: onSaved });
      }}
    >
      <Field
        label={`Scopes of ${user.email}`}
        hint="One per line. A tool needs the scope from both the agent and its user."
      >
        {(control) => (
          <TextArea
            {...control}
            className="font-mono text-xs"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <Button type="submit" look="primary" className="self-start" busy={save.isPending} doing="Saving…">
        Save
      </Button>
      <ChangeFailure error={save.error} />
    </form>
  );
}

function NewUser() {
  const [email, setEmail] = useState("");
  const add = useChange(() => api.users.put(email.trim(), { scopes: [] }), ["users"]);
  return (
    <Panel title="New user">
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate(undefined, { onSuccess: () => setEmail("") });
        }}
      >
        <TextField
          label="E-mail"
          className="min-w-56 flex-1"
          type="email"
          value={email}
          onChange={setEmail}
        />
        <Button
          type="submit"
          look="primary"
          disabled={email.trim() === ""}
          busy={add.isPending}
          doing="Adding…"
        >
          Add
        </Button>
      </form>
      <div className="mt-3 empty:hidden">
        <ChangeFailure error={add.error} />
      </div>
    </Panel>
  );
}
