/** Read-only links to a session: create, list and revoke them. The link itself is shown once. */
import type { Session, SessionLinkInfo } from "@capstan/client";
import { useState } from "react";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { CopyButton } from "../../kit/copy-button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Field, Select, Toggle } from "../../kit/field.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { ago, dateTime } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";

const LASTS: readonly [hours: number, label: string][] = [
  [24, "A day"],
  [24 * 7, "A week"],
  [24 * 30, "30 days"],
];

export function SessionLinks({ session }: { session: Session }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Share</Button>
      {open && <LinksDialog session={session} onClose={() => setOpen(false)} />}
    </>
  );
}

function LinksDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const links = useRead(["session-links", session.id], (signal) => api.links.list(session.id, signal));
  return (
    <Dialog title="Share this session" onClose={onClose}>
      <div className="flex flex-col gap-5">
        <p className="text-sm text-ink-soft">
          Anyone with the link can read the messages until it expires. They cannot write.
        </p>
        <NewLink session={session} />
        <Loaded query={links} what="Links">
          {({ items }) => (
            <ul className="flex flex-col gap-2">
              {items.map((link) => (
                <LinkRow key={link.id} session={session} link={link} />
              ))}
            </ul>
          )}
        </Loaded>
      </div>
    </Dialog>
  );
}

function NewLink({ session }: { session: Session }) {
  const [hours, setHours] = useState(24 * 7);
  const [files, setFiles] = useState(false);
  const create = useChange(() => api.links.create(session.id, { hours, files }), ["session-links"]);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-4">
        <Field label="Ends after">
          {(control) => (
            <Select {...control} value={hours} onChange={({ target }) => setHours(Number(target.value))}>
              {LASTS.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <div className="flex h-9 items-center">
          <Toggle checked={files} onChange={setFiles} label="Show files too" />
        </div>
        <Button
          look="primary"
          busy={create.isPending}
          doing="Creating…"
          onClick={() => create.mutate(undefined)}
        >
          Create link
        </Button>
      </div>
      {create.data && (
        <p role="status" className="flex items-center gap-2 rounded-lg bg-good-soft p-3 text-sm text-good">
          <span className="min-w-0 flex-1 break-all">{create.data.url}</span>
          <CopyButton text={create.data.url} label="Copy link" />
        </p>
      )}
      {create.data && <p className="text-xs text-ink-faint">Copy it now. You will not see it again.</p>}
      <ChangeFailure error={create.error} />
    </div>
  );
}

function LinkRow({ session, link }: { session: Session; link: SessionLinkInfo }) {
  const revoke = useChange(() => api.links.revoke(session.id, link.id), ["session-links"]);
  const isActive = link.status === "active";
  return (
    <li className="flex flex-wrap items-center gap-3 rounded-lg border border-line p-3 text-sm">
      <Badge tone={isActive ? "good" : "plain"}>{link.status}</Badge>
      <span className="min-w-0 flex-1 text-ink-soft">
        {isActive ? "until" : "was until"} {dateTime(link.expires_at)}
        {link.files && ", with files"}
        {link.last_used_at ? `, read ${ago(link.last_used_at)}` : ", not read yet"}
      </span>
      {isActive && (
        <Button
          size="sm"
          look="danger"
          busy={revoke.isPending}
          doing="Revoking…"
          onClick={() => revoke.mutate(undefined)}
        >
          Revoke
        </Button>
      )}
      <ChangeFailure error={revoke.error} />
    </li>
  );
}
