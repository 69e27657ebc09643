import type { Result } from "@capstan/core";
import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/field.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { useChange } from "../../server/queries.ts";

const LEAST = 0.1;
const MOST = 100;

interface WeightFormProps {
  /** Whose: a user's address, an organisation's name. */
  readonly of: string;
  readonly weight: number;
  readonly save: (weight: number) => Promise<Result<unknown>>;
  /** The list that shows it. */
  readonly list: string;
  readonly onSaved: () => void;
}

/** The weight when more runs are waiting than there are slots. */
export function WeightForm({ of, weight: before, save: store, list, onSaved }: WeightFormProps) {
  const [text, setText] = useState(String(before));
  const weight = text.trim() === "" ? Number.NaN : Number(text);
  const fits = weight >= LEAST && weight <= MOST;
  const save = useChange(() => store(weight), [list]);
  return (
    <form
      className="flex flex-col gap-3"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (fits) save.mutate(undefined, { onSuccess: onSaved });
      }}
    >
      <TextField
        label={`Weight of ${of}`}
        hint="Applies only while runs are queued: weight 3 gets three times the share of weight 1, the default."
        error={fits ? undefined : `A number from ${LEAST} to ${MOST}.`}
        className="max-w-md"
        type="number"
        inputMode="decimal"
        min={LEAST}
        max={MOST}
        step="any"
        value={text}
        onChange={setText}
      />
      <Button
        type="submit"
        look="primary"
        className="self-start"
        disabled={!fits}
        busy={save.isPending}
        doing="Saving…"
      >
        Save
      </Button>
      <ChangeFailure error={save.error} />
    </form>
  );
}
