import type { DatasetItem } from "@capstan/client";
import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Field, TextArea } from "../../kit/field.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";

interface ExpectedAnswerProps {
  datasetId: string;
  item: DatasetItem;
  onClose: () => void;
}

/** What the item's answer should have been; saving it is a new version. */
export function ExpectedAnswer({ datasetId, item, onClose }: ExpectedAnswerProps) {
  const { scrubbed: _scrubbed, source: _source, since_version: _since, ...kept } = item;
  const [text, setText] = useState(typeof item.expected === "string" ? item.expected : "");
  const save = useChange(async () => {
    const saved = await api.datasets.putItems(datasetId, {
      items: [{ ...kept, expected: text }],
      why: `what is expected of ${item.id}`.slice(0, 200),
    });
    if (saved.ok) onClose();
    return saved;
  }, ["datasets"]);
  return (
    <div className="flex flex-col gap-2">
      <Field label={`Expected answer of ${item.id}`}>
        {(control) => (
          <TextArea {...control} rows={2} value={text} onChange={({ target }) => setText(target.value)} />
        )}
      </Field>
      <div className="flex gap-2">
        <Button
          size="sm"
          look="primary"
          busy={save.isPending}
          doing="Saving…"
          onClick={() => save.mutate(undefined)}
        >
          Save as a new version
        </Button>
        <Button size="sm" onClick={onClose}>
          Cancel
        </Button>
      </div>
      <ChangeFailure error={save.error} />
    </div>
  );
}
