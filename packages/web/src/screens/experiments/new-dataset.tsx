import { useState } from "react";
import { useLocation } from "wouter";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";

/** An empty dataset, opened once it is made. */
export function NewDataset() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>New dataset</Button>
      {isOpen && <NewDatasetDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function NewDatasetDialog({ onClose }: { onClose: () => void }) {
  const [, go] = useLocation();
  const [name, setName] = useState("");
  const make = useChange(async () => {
    const made = await api.datasets.create({ name: name.trim() });
    if (made.ok) go(`/experiments/datasets/${made.value.id}`);
    return made;
  }, ["datasets"]);
  return (
    <Dialog
      title="New dataset"
      onClose={onClose}
      footer={
        <Button
          look="primary"
          busy={make.isPending}
          doing="Creating…"
          disabled={name.trim() === ""}
          onClick={() => make.mutate(undefined)}
        >
          Create
        </Button>
      }
    >
      <TextField label="Name" autoFocus value={name} onChange={setName} />
      <ChangeFailure error={make.error} />
    </Dialog>
  );
}
