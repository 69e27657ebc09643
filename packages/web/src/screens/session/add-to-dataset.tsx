/** Adds a run to an existing or new dataset. Secrets are removed, and the response says where. */
import { ok } from "@capstan/core";
import { useState } from "react";
import { Link } from "wouter";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Field, Select, TextInput } from "../../kit/field.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { count } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";

const NEW = "";

export function AddToDataset({ runId }: { runId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        Add to dataset
      </Button>
      {isOpen && <AddDialog runId={runId} onClose={() => setOpen(false)} />}
    </>
  );
}

function AddDialog({ runId, onClose }: { runId: string; onClose: () => void }) {
  const datasets = useRead(["datasets", "all"], (signal) => api.datasets.all({}, signal)).data ?? [];
  const [chosen, setChosen] = useState(NEW);
  const [name, setName] = useState("");
  const add = useChange(async () => {
    const found = chosen === NEW ? await api.datasets.create({ name: name.trim() }) : ok({ id: chosen });
    if (!found.ok) return found;
    const written = await api.datasets.import(found.value.id, { runs: [runId], why: "from a trace" });
    if (!written.ok) return written;
    const { scrubbed, skipped } = written.value;
    return ok({ id: found.value.id, taken: scrubbed.length, refused: skipped[0]?.why });
  }, ["datasets"]);
  return (
    <Dialog
      title="Add this run to a dataset"
      onClose={onClose}
      footer={
        add.isSuccess ? (
          <Button onClick={onClose}>Close</Button>
        ) : (
          <Button
            look="primary"
            busy={add.isPending}
            doing="Adding…"
            disabled={chosen === NEW && name.trim() === ""}
            onClick={() => add.mutate(undefined)}
          >
            Add
          </Button>
        )
      }
    >
      {add.isSuccess ? (
        <p role="status">
          {add.data.refused === undefined ? "Added to" : `Not added: ${add.data.refused} Look at`}{" "}
          <Link href={`/experiments/datasets/${add.data.id}`} className="text-accent-ink underline">
            the dataset
          </Link>
          . {add.data.taken > 0 && `Removed: secrets in ${count(add.data.taken, "place")}.`}
        </p>
      ) : (
        <div className="flex flex-col gap-3">
          <Field label="Dataset">
            {(control) => (
              <Select {...control} value={chosen} onChange={({ target }) => setChosen(target.value)}>
                <option value={NEW}>A new one</option>
                {datasets.map(({ id, name: shown }) => (
                  <option key={id} value={id}>
                    {shown}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          {chosen === NEW && (
            <Field label="Name of the dataset">
              {(control) => (
                <TextInput {...control} value={name} onChange={({ target }) => setName(target.value)} />
              )}
            </Field>
          )}
        </div>
      )}
      <ChangeFailure error={add.error} />
    </Dialog>
  );
}
