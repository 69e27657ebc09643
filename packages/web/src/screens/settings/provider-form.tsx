/** A provider's key and address. Saving tests the provider; a failure is shown here, and nothing is saved. */
import type { ProviderChecked, ProviderInfo } from "@capstan/client";
import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/field.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useCancellableChange } from "../../server/queries.ts";

interface ProviderFormProps {
  provider: ProviderInfo;
  onSaved: (saved: ProviderChecked) => void;
  onCancel: () => void;
}

const STALE = ["providers", "status", "models"];

export function ProviderForm({ provider, onSaved, onCancel }: ProviderFormProps) {
  const { provider: name, label, configured, needs_address, base_url, example_address } = provider;
  const [key, setKey] = useState("");
  const [url, setUrl] = useState(base_url ?? "");
  const { change: save, cancel } = useCancellableChange(
    (check: boolean, signal) =>
      api.providers.set(
        name,
        {
          ...(key.trim() !== "" && { api_key: key.trim() }),
          ...(url.trim() !== "" && { base_url: url.trim() }),
          ...(!check && { check }),
        },
        signal,
      ),
    STALE,
  );
  const lacks = needs_address ? url.trim() === "" : key.trim() === "" && !configured;
  const submit = (check: boolean) => save.mutate(check, { onSuccess: onSaved });
  return (
    <form
      className="grid gap-3 sm:grid-cols-2"
      aria-label={`Set up ${label}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (!lacks) submit(true);
      }}
    >
      <TextField
        label="API key"
        required={!needs_address}
        hint={needs_address ? "Only if the server asks for one." : "Stored encrypted, never shown again."}
        type="password"
        autoComplete="off"
        autoFocus={!needs_address}
        value={key}
        onChange={setKey}
      />
      <TextField
        label={needs_address ? "Address" : "Address (optional)"}
        required={needs_address}
        hint={needs_address ? `Such as ${example_address}` : `Default: ${example_address}`}
        type="url"
        placeholder={example_address}
        autoFocus={needs_address}
        value={url}
        onChange={setUrl}
      />
      <div className="flex flex-wrap items-center gap-2 sm:col-span-2">
        <Button
          type="submit"
          look="primary"
          busy={save.isPending}
          doing={`Asking ${label}…`}
          disabled={lacks}
        >
          Check and save
        </Button>
        <Button onClick={save.isPending ? cancel : onCancel}>Cancel</Button>
        {save.isError && (
          <Button look="quiet" onClick={() => submit(false)}>
            Save without checking
          </Button>
        )}
      </div>
      <div className="sm:col-span-2 empty:hidden">
        <ChangeFailure error={save.error} />
      </div>
    </form>
  );
}
