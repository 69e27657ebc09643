/** What agents remember: found, corrected, trusted and forgotten by people. */
import type { Memory } from "@capstan/client";
import Brain from "lucide-react/icons/brain";
import { useDeferredValue, useState } from "react";
import { Badge } from "../../kit/badge.tsx";
import { Button, LinkButton } from "../../kit/button.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Field, TextArea, TextField } from "../../kit/field.tsx";
import { Screen } from "../../kit/screen.tsx";
import { ChangeFailure, Empty, Loaded } from "../../kit/states.tsx";
import { ago, dateTime } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { useAgents } from "../../server/reads.ts";

const MOST = 200;

export default function MemoriesScreen() {
  const [text, setText] = useState("");
  const [editing, setEditing] = useState<Memory | "new">();
  const q = useDeferredValue(text.trim());
  const query = useRead(["memories", q], (signal) =>
    api.memories.list({ limit: MOST, ...(q !== "" && { q }) }, signal),
  );
  return (
    <Screen
      title="Memory"
      lead="Facts that agents keep between conversations. Each is available to one user, one agent or everyone."
      actions={
        <Button look="primary" onClick={() => setEditing("new")}>
          New fact
        </Button>
      }
    >
      <TextField label="Search by words or meaning" type="search" value={text} onChange={setText} />
      <Loaded query={query} what="Facts" rows={4}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Brain} title={q === "" ? "No facts yet" : "Nothing fits"}>
              Agents with the Memory capability remember what users tell them. You can also add a fact
              yourself.
            </Empty>
          ) : (
            <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
              {items.map((memory) => (
                <li key={memory.id}>
                  <FactRow memory={memory} onEdit={() => setEditing(memory)} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {editing !== undefined && (
        <FactDialog memory={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
    </Screen>
  );
}

function FactRow({ memory, onEdit }: { memory: Memory; onEdit: () => void }) {
  const [forgetting, setForgetting] = useState(false);
  const { id, text, labels, source, edited_by, updated_at } = memory;
  return (
    <article aria-label={text} className="flex flex-wrap items-start gap-3 px-4 py-3">
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words">{text}</p>
        <p className="flex flex-wrap items-center gap-1 text-xs text-ink-faint">
          <OwnerName memory={memory} />, {edited_by ? `changed by ${edited_by}` : `by ${memory.created_by}`}{" "}
          <span title={dateTime(updated_at)}>{ago(updated_at)}</span>
          {labels.map((label) => (
            <Badge key={label} tone="warn">
              {label}
            </Badge>
          ))}
        </p>
      </div>
      {source?.session_id && (
        <LinkButton size="sm" href={`/sessions/${source.session_id}`} aria-label={`Where ${text} comes from`}>
          Source
        </LinkButton>
      )}
      <Button size="sm" aria-label={`Change ${text}`} onClick={onEdit}>
        Change
      </Button>
      <Button size="sm" look="danger" aria-label={`Forget ${text}`} onClick={() => setForgetting(true)}>
        Forget
      </Button>
      {forgetting && (
        <ConfirmDialog
          title="Forget this fact?"
          action="Forget"
          change={() => api.memories.forget(id)}
          refreshes={["memories"]}
          onClose={() => setForgetting(false)}
        >
          {text} This cannot be undone.
        </ConfirmDialog>
      )}
    </article>
  );
}

function OwnerName({ memory: { scope, subject } }: { memory: Memory }) {
  const agents = useAgents().data?.items ?? [];
  if (scope === "organisation") return "everybody's";
  return scope === "user"
    ? `of ${subject}`
    : `of ${agents.find(({ id }) => id === subject)?.name ?? subject}`;
}

/** A new fact is the writer's own. A change keeps the labels, unless the person says that they trust it. */
function FactDialog({ memory, onClose }: { memory: Memory | undefined; onClose: () => void }) {
  const [text, setText] = useState(memory?.text ?? "");
  const [isTrusted, setTrusted] = useState(false);
  const save = useChange(
    () =>
      memory
        ? api.memories.update(memory.id, { text, ...(isTrusted && { labels: [] }) })
        : api.memories.create({ text }),
    ["memories"],
  );
  return (
    <Dialog title={memory ? "Change a fact" : "New fact"} onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(undefined, { onSuccess: onClose });
        }}
      >
        <Field label="Fact" hint="One self-contained sentence.">
          {(control) => (
            <TextArea
              {...control}
              maxLength={2000}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        {memory && memory.labels.length > 0 && (
          <label className="flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              checked={isTrusted}
              onChange={({ target }) => setTrusted(target.checked)}
            />
            I have read it and trust it: remove {memory.labels.join(", ")}
          </label>
        )}
        <Button
          type="submit"
          look="primary"
          className="self-start"
          disabled={text.trim() === ""}
          busy={save.isPending}
          doing="Saving…"
        >
          Save
        </Button>
        <ChangeFailure error={save.error} />
      </form>
    </Dialog>
  );
}
