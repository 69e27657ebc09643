/** The organisations after the first, for its admins: their limits, and the weight that can be changed here. */
import type { Organisation } from "@capstan/client";
import { useState } from "react";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Loaded } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import { WeightForm } from "./weight-form.tsx";

export function Organisations() {
  const query = useRead(["organisations"], (signal) => api.organisations.list(signal));
  return (
    <Loaded query={query} what="Organisations" rows={3}>
      {({ items }) => (
        <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
          {items.map((organisation) => (
            <li key={organisation.id}>
              <OrganisationRow organisation={organisation} />
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}

function OrganisationRow({ organisation }: { organisation: Organisation }) {
  const { id, name, weight, disabled, is_current: isFirst } = organisation;
  const [open, setOpen] = useState(false);
  return (
    <div className="flex flex-col gap-3 p-4">
      <div className="flex flex-wrap items-center gap-3">
        <div className="min-w-0 flex-1 basis-56">
          <p className="font-medium break-words">{name}</p>
          <p className="mt-1 flex flex-wrap items-center gap-1 text-xs text-ink-soft">
            {disabled && <Badge tone="warn">disabled</Badge>}
            <Badge>weight {weight}</Badge>
            <span>{limitsOf(organisation)}</span>
          </p>
        </div>
        {!isFirst && (
          <Button
            size="sm"
            aria-expanded={open}
            aria-label={`Change the weight of ${name}`}
            onClick={() => setOpen(!open)}
          >
            Weight
          </Button>
        )}
      </div>
      {open && (
        <WeightForm
          of={name}
          weight={weight}
          save={(changed) => api.organisations.change(id, { weight: changed })}
          list="organisations"
          onSaved={() => setOpen(false)}
        />
      )}
    </div>
  );
}

function limitsOf({ requests_per_minute: requests, cost_usd_per_month: cost }: Organisation): string {
  const limits = [
    ...(requests === null ? [] : [`${requests} requests a minute`]),
    ...(cost === null ? [] : [`$${cost} a month`]),
  ];
  return limits.join(", ");
}
