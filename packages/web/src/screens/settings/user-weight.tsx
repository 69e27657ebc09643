import type { User } from "@capstan/client";
import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/field.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";

const LEAST = 0.1;
const MOST = 100;

/** A user's share of the places for runs, where more want one than there are. */
export function UserWeight({ user, onSaved }: { user: User; onSaved: () => void }) {
  const [text, setText] = useState(String(user.weight));
  const weight = text.trim() === "" ? Number.NaN : Number(text);
  const fits = weight >= LEAST && weight <= MOST;
  const save = useChange(() => api.users.put(user.email, { weight }), ["users"]);
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
        label={`Weight of ${user.email}`}
        hint="Matters only while runs wait for a place: 3 gets three times as many as 1, which everybody has at first."
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
      <Button type="submit" look="primary" className="self-start" disabled={!fits} busy={save.isPending}>
        Save
      </Button>
      <ChangeFailure error={save.error} />
    </form>
  );
}
