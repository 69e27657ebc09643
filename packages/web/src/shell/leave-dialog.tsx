import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { leave, stay, useLeaving } from "./leave-guard.ts";

/** Asked when someone goes elsewhere while something is not saved. */
export function LeaveDialog() {
  const leaving = useLeaving();
  if (!leaving) return null;
  return (
    <Dialog
      title="Leave without saving?"
      onClose={stay}
      footer={
        <>
          <Button look="danger" onClick={() => leave(leaving)}>
            Discard changes
          </Button>
          <Button look="primary" onClick={stay}>
            Keep editing
          </Button>
        </>
      }
    >
      Your changes to this agent have not been saved.
    </Dialog>
  );
}
