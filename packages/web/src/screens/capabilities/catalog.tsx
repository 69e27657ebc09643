import type { CapabilitySummary } from "@capstan/client";
import Blocks from "lucide-react/icons/blocks";
import { useDeferredValue, useMemo, useState } from "react";
import { Field, Select, TextField } from "../../kit/field.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { count, words } from "../../kit/words.ts";
import { useCapabilities } from "../../server/reads.ts";
import { CatalogGrid } from "./catalog-grid.tsx";
import { type CapabilitySearch, categoryOf, matching } from "./find-capabilities.ts";

export default function Catalog() {
  const query = useCapabilities();
  return (
    <Screen wide title="Capabilities" lead="Prompts, tools and permissions that agents are built from.">
      <Loaded query={query} what="Capabilities" rows={8}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Blocks} title="No capabilities registered" />
          ) : (
            <Searched items={items} />
          )
        }
      </Loaded>
    </Screen>
  );
}

function Searched({ items }: { items: CapabilitySummary[] }) {
  const [search, setSearch] = useState<CapabilitySearch>({});
  const settled = useDeferredValue(search);
  const found = useMemo(() => matching(items, settled), [items, settled]);
  const change = (part: CapabilitySearch) => setSearch((before) => ({ ...before, ...part }));
  return (
    <>
      <search className="flex flex-wrap items-end gap-3">
        <TextField
          label="Search"
          className="min-w-56 flex-1"
          type="search"
          placeholder="Name, id or description"
          value={search.text ?? ""}
          onChange={(value) => change({ text: value })}
        />
        <Filter
          label="Status"
          options={unique(items.map(({ status }) => status))}
          value={search.status}
          onChange={(status) => change({ status })}
        />
        <Filter
          label="Category"
          options={unique(items.map(categoryOf))}
          value={search.category}
          onChange={(category) => change({ category })}
        />
        <Filter
          label="Source"
          options={unique(items.map(({ source }) => source))}
          value={search.source}
          onChange={(source) => change({ source })}
        />
      </search>
      <p role="status" className="text-xs text-ink-faint">
        {count(found.length, "capability", "capabilities")}
      </p>
      {found.length === 0 ? (
        <Empty icon={Blocks} title="No matches">
          Try fewer words or other filters.
        </Empty>
      ) : (
        <CatalogGrid items={found} />
      )}
    </>
  );
}

const unique = (values: string[]): string[] => [...new Set(values)].sort();

interface FilterProps {
  label: string;
  options: string[];
  value: string | undefined;
  onChange: (value: string) => void;
}

function Filter({ label, options, value, onChange }: FilterProps) {
  return (
    <Field label={label} className="w-36">
      {(control) => (
        <Select {...control} value={value ?? ""} onChange={({ target }) => onChange(target.value)}>
          <option value="">All</option>
          {options.map((option) => (
            <option key={option} value={option}>
              {words(option)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
