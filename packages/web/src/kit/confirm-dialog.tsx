import type { Result } from "@capstan/core";
import type { ReactNode } from "react";
import { useChange } from "../server/queries.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ChangeFailure } from "./states.tsx";

/** The button's label, and its label while busy. */
const ACTIONS = {
  "Approve all": "Approving…",
  Delete: "Deleting…",
  Discard: "Discarding…",
  Forget: "Forgetting…",
  "Make live": "Making live…",
  Remove: "Removing…",
  Restore: "Restoring…",
  "Start canary": "Starting…",
  Uninstall: "Uninstalling…",
} as const;
export type ConfirmedAction = keyof typeof ACTIONS;

interface ConfirmDialogProps {
  title: string;
  action: ConfirmedAction;
  /** What happens, and what is kept. */
  children: ReactNode;
  /** `force` after a refusal that may be overridden. */
  change: (options: { force: boolean }) => Promise<Result<unknown>>;
  /** A refusal may be overridden: it says who would break. */
  mayForce?: boolean;
  /** Key prefixes of the queries to refresh. */
  refreshes: readonly string[];
  onClose: () => void;
  onDone?: () => void;
}

/** Asks for confirmation before something is deleted. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, action, children, change, mayForce = false, refreshes, onClose, onDone = onClose } = props;
  // Done within the mutation: deleting may unmount this dialog before later callbacks run.
  const confirm = useChange(async (force: boolean) => {
    const changed = await change({ force });
    if (changed.ok) onDone();
    return changed;
  }, refreshes);
  const force = mayForce && confirm.error !== null;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="danger"
            busy={confirm.isPending}
            doing={ACTIONS[action]}
            onClick={() => confirm.mutate(force)}
          >
            {force ? `${action} anyway` : action}
          </Button>
        </>
      }
    >
      <p className="text-ink-soft">{children}</p>
      <ChangeFailure error={confirm.error} />
    </Dialog>
  );
}
