import type { Result } from "@capstan/core";
import type { ReactNode } from "react";
import { useChange } from "../server/queries.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { ChangeFailure } from "./states.tsx";

interface ConfirmDialogProps {
  title: string;
  /** The verb on the button: "Delete". */
  action: string;
  /** What happens, and what is kept. */
  children: ReactNode;
  change: () => Promise<Result<unknown>>;
  /** Key prefixes of the queries to refresh. */
  refreshes: readonly string[];
  onClose: () => void;
  onDone?: () => void;
}

/** Asks for confirmation before something is deleted. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, action, children, change, refreshes, onClose, onDone = onClose } = props;
  // Done inside the change: what was deleted may take this dialog with it before anything could be told here.
  const confirm = useChange(async () => {
    const changed = await change();
    if (changed.ok) onDone();
    return changed;
  }, refreshes);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" busy={confirm.isPending} onClick={() => confirm.mutate(undefined)}>
            {action}
          </Button>
        </>
      }
    >
      <p className="text-ink-soft">{children}</p>
      <ChangeFailure error={confirm.error} />
    </Dialog>
  );
}
