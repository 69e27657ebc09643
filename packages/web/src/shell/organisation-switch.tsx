/** Which organisation this browser works in. Only shown to people who have a choice. */
import { useState } from "react";
import { Field, Select } from "../kit/field.tsx";
import { api } from "../server/api.ts";
import { useMe } from "./sign-in.tsx";

/** Everything on the page belongs to one organisation, so the page is reloaded. */
export function OrganisationSwitch() {
  const me = useMe().data;
  const [busy, setBusy] = useState(false);
  if (!me || !canChoose(me)) return null;
  const isElsewhere = me.organisations.every(({ id }) => id !== me.organisation);
  const choose = async (id: string) => {
    setBusy(true);
    const chosen = await api.organisations.choose(id);
    if (chosen.ok) location.assign("/");
    else setBusy(false);
  };
  return (
    <Field label="Organisation">
      {(control) => (
        <Select
          {...control}
          disabled={busy}
          value={me.organisation ?? ""}
          onChange={(event) => void choose(event.target.value)}
        >
          {isElsewhere && <option value={me.organisation ?? ""}>Choose</option>}
          {me.organisations.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** Someone without a role here may have one in another organisation. */
const canChoose = ({ organisation, organisations }: NonNullable<ReturnType<typeof useMe>["data"]>): boolean =>
  organisations.some(({ id }) => id !== organisation);
