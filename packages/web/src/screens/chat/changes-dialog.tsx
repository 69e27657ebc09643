/**
 * What a session changed in its agent's real folder: the diff, what prevents applying it, and the buttons to apply or
 * discard it.
 */
import type { FolderChange, Session } from "@capstan/client";
import { useState } from "react";
import { DiffView } from "../../files/diff-view.tsx";
import { Badge, Code } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { api, failureOf } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { sessionTitle } from "../../sessions/session-row.tsx";

const POLL_MS = 3000; // a program may be writing
const REFRESHES = ["folder-change"];

export function ChangesDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const read = useRead(["folder-change", session.id], (signal) => api.sessions.change(session.id, signal), {
    everyMs: POLL_MS,
  });
  const [message, setMessage] = useState(sessionTitle(session));
  const [isDiscarding, setDiscarding] = useState(false);
  const apply = useChange(
    () => api.sessions.applyChange(session.id, message.trim() ? { message } : {}),
    REFRESHES,
  );
  const isOpen = read.data?.status === "open";
  if (isDiscarding)
    return (
      <ConfirmDialog
        title="Discard the change?"
        action="Discard"
        change={() => api.sessions.discardChange(session.id)}
        refreshes={REFRESHES}
        onClose={() => setDiscarding(false)}
      >
        The worktree and its branch are removed. The folder is not changed.
      </ConfirmDialog>
    );
  return (
    <Dialog
      title="Changes"
      wide
      onClose={onClose}
      footer={
        isOpen && (
          <>
            <Button look="danger" onClick={() => setDiscarding(true)}>
              Discard
            </Button>
            <Button
              look="primary"
              busy={apply.isPending}
              doing="Applying…"
              disabled={read.data?.files.length === 0 || read.data?.problem !== null}
              onClick={() => apply.mutate(undefined)}
            >
              Apply
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-4">
        {read.isError && failureOf(read.error).code === "not_found" ? (
          <p className="text-sm text-ink-soft">No changes in the folder yet.</p>
        ) : (
          <Loaded query={read} what="the change">
            {(change) => <Change change={change} />}
          </Loaded>
        )}
        {isOpen && <TextField label="Commit message" value={message} onChange={setMessage} />}
        <ChangeFailure error={apply.error} />
      </div>
    </Dialog>
  );
}

const TONES = { open: "accent", applying: "accent", applied: "good", discarded: "plain" } as const;

function Change({ change }: { change: FolderChange }) {
  const { status, folder, branch, commit, files } = change;
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <Badge tone={TONES[status]}>{status}</Badge>
        <Code>{folder}</Code>
        <span className="text-ink-soft">{commit ? `commit ${commit.slice(0, 12)}` : `branch ${branch}`}</span>
      </p>
      <Hindrances change={change} />
      {files.length === 0 && status === "open" && <p className="text-sm text-ink-soft">No files changed.</p>}
      <div className="flex flex-col gap-2">
        {files.map(({ path, change: what, diff, additions, deletions }) => (
          <DiffView
            key={path}
            path={path}
            change={additions === undefined ? what : `${what} +${additions} -${deletions}`}
            diff={diff}
            open={files.length === 1}
          />
        ))}
      </div>
    </>
  );
}

/** Why it cannot be applied, or what a person should know before. */
function Hindrances({ change: { behind, conflicts, blocked_by, notes, problem } }: { change: FolderChange }) {
  const lines = [
    ...(problem ? [`${problem.message} ${problem.nextStep}`] : []),
    ...(conflicts.length > 0
      ? [`The folder has changed since and conflicts in ${conflicts.join(", ")}.`]
      : []),
    ...(blocked_by.length > 0 ? [`Not committed in the folder: ${blocked_by.join(", ")}.`] : []),
    ...(behind > 0 ? [`The folder has ${behind} newer ${behind === 1 ? "commit" : "commits"}.`] : []),
    ...notes,
  ];
  if (lines.length === 0) return null;
  return (
    <ul className="list-disc pl-5 text-sm text-warn">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
