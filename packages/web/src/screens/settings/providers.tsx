import type { ProviderInfo } from "@capstan/client";
import { useState } from "react";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Field, TextInput } from "../../kit/field.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { words } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";

/** Names as their owners write them; any other is made of the words of its id. */
const NAMES: Record<string, string> = {
  openai: "OpenAI",
  "openai-compatible": "OpenAI compatible",
  localai: "LocalAI",
  openrouter: "OpenRouter",
  xai: "xAI",
  deepseek: "DeepSeek",
  vllm: "vLLM",
  lmstudio: "LM Studio",
};

export function Providers() {
  const query = useRead(["providers"], (signal) => api.providers.list(signal));
  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-soft">
        Keys are stored encrypted and never shown again. Without any, the offline demo model answers.
      </p>
      <Loaded query={query} what="Providers" rows={5}>
        {({ items }) => (
          <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
            {items.map((provider) => (
              <li key={provider.provider}>
                <ProviderRow provider={provider} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </div>
  );
}

function ProviderRow({ provider }: { provider: ProviderInfo }) {
  const [editing, setEditing] = useState(false);
  const { provider: name, configured, from, base_url } = provider;
  const remove = useChange(() => api.providers.remove(name), ["providers", "status"]);
  return (
    <div className="flex flex-col gap-3 p-4">
      <div className="flex flex-wrap items-center gap-3">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            {NAMES[name] ?? words(name)}
            {configured ? <Badge tone="good">configured</Badge> : <Badge>no key</Badge>}
          </p>
          <p className="text-xs text-ink-faint">
            {from === "environment" ? "From the environment" : from === "settings" ? "Set here" : ""}
            {base_url && ` ${base_url}`}
          </p>
        </div>
        {from === "settings" && (
          <Button
            size="sm"
            look="danger"
            busy={remove.isPending}
            aria-label={`Remove the key of ${name}`}
            onClick={() => remove.mutate(undefined)}
          >
            Remove
          </Button>
        )}
        <Button
          size="sm"
          aria-expanded={editing}
          aria-label={`${configured ? "Replace" : "Set"} ${name}`}
          onClick={() => setEditing(!editing)}
        >
          {configured ? "Replace" : "Set"}
        </Button>
      </div>
      {editing && <ProviderForm name={name} baseUrl={base_url ?? ""} onDone={() => setEditing(false)} />}
      <ChangeFailure error={remove.error} />
    </div>
  );
}

interface ProviderFormProps {
  name: string;
  baseUrl: string;
  onDone: () => void;
}

function ProviderForm({ name, baseUrl, onDone }: ProviderFormProps) {
  const [key, setKey] = useState("");
  const [url, setUrl] = useState(baseUrl);
  const save = useChange(
    () => api.providers.set(name, { ...(key && { api_key: key }), ...(url && { base_url: url }) }),
    ["providers", "status"],
  );
  return (
    <form
      className="grid items-end gap-3 sm:grid-cols-[1fr_1fr_auto]"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined, { onSuccess: onDone });
      }}
    >
      <Field label="API key">
        {(control) => (
          <TextInput
            {...control}
            type="password"
            autoComplete="off"
            value={key}
            onChange={({ target }) => setKey(target.value)}
          />
        )}
      </Field>
      <Field label="Base URL (optional)">
        {(control) => (
          <TextInput {...control} type="url" value={url} onChange={({ target }) => setUrl(target.value)} />
        )}
      </Field>
      <Button type="submit" look="primary" busy={save.isPending} disabled={key === "" && url === ""}>
        Save
      </Button>
      <div className="sm:col-span-3 empty:hidden">
        <ChangeFailure error={save.error} />
      </div>
    </form>
  );
}
