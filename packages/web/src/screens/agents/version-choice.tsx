/** Which version of a capability an agent uses: the registered one, or one that it stays on. */
import { Field, Select } from "../../kit/field.tsx";
import { useCapabilityVersions } from "../../server/reads.ts";
import type { DraftCapability } from "./agent-draft.ts";

interface VersionChoiceProps {
  entry: DraftCapability;
  onChange: (entry: DraftCapability) => void;
}

export function VersionChoice({ entry, onChange }: VersionChoiceProps) {
  const versions = useCapabilityVersions(entry.id).data?.items ?? [];
  const names = versions.map(({ version }) => version);
  const pin = entry.version;
  if (names.length < 2 && pin === undefined) return null;
  const registered = versions.find((each) => each.registered)?.version ?? "";
  return (
    <Field label="Version" hint="A pinned agent does not get newer versions.">
      {(control) => (
        <Select
          {...control}
          className="max-w-56"
          value={pin ?? ""}
          onChange={({ target }) => {
            const { version: _, ...rest } = entry;
            onChange(target.value === "" ? rest : { ...rest, version: target.value });
          }}
        >
          <option value="">Newest{registered && ` (now ${registered})`}</option>
          {[...new Set([...names, ...(pin === undefined ? [] : [pin])])].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
