/** Which model answers, what was found on the server's machine, and the providers. */
import type { ProviderChecked, ProviderInfo } from "@capstan/client";
import { lazy, Suspense, useState } from "react";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { count } from "../../kit/words.ts";
import { useModelChoices } from "../../models/use-model-choices.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { ProviderForm } from "./provider-form.tsx";

const ModelPicker = lazy(() =>
  import("../../models/model-picker.tsx").then(({ ModelPicker }) => ({ default: ModelPicker })),
);

const FROM: Record<string, string> = {
  environment: "Set by CAPSTAN_MODEL",
  settings: "Chosen here",
  provider: "From a provider's key",
  local: "Found on this machine",
  demo: "No model found: the built-in demo answers",
};

export function Providers() {
  const query = useRead(["providers"], (signal) => api.providers.list(signal));
  const [saved, setSaved] = useState<ProviderChecked>();
  return (
    <div className="flex flex-col gap-5">
      <DefaultModelPanel />
      <Found />
      <Panel title="Providers" flush>
        <div className={query.data ? undefined : "p-4"}>
          <Loaded query={query} what="Providers" rows={5}>
            {({ items }) => (
              <ul className="flex flex-col divide-y divide-line">
                {items.map((provider) => (
                  <li key={provider.provider}>
                    <ProviderRow provider={provider} onSaved={setSaved} />
                  </li>
                ))}
              </ul>
            )}
          </Loaded>
        </div>
      </Panel>
      {saved && <ChooseDefault saved={saved} onDone={() => setSaved(undefined)} />}
    </div>
  );
}

function DefaultModelPanel() {
  const choices = useModelChoices();
  const [choosing, setChoosing] = useState(false);
  const use = useUseModel();
  return (
    <Panel title="Default model">
      <Loaded query={choices} what="Models" rows={2}>
        {({ default: current }) => (
          <div className="flex flex-wrap items-center gap-3">
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap items-center gap-2 font-medium">
                {current.name}
                {current.demo && <Badge tone="warn">demo</Badge>}
              </p>
              <p className="text-xs text-ink-faint">
                {FROM[current.from]}. Answers for agents and chats that choose no model.
              </p>
            </div>
            {current.from !== "environment" && <Button onClick={() => setChoosing(true)}>Change</Button>}
          </div>
        )}
      </Loaded>
      <ChangeFailure error={use.error} />
      {choosing && (
        <Suspense>
          <ModelPicker
            title="Default model"
            current={choices.data?.default.name}
            inherit="Automatic"
            onChoose={(name) => use.mutate(name ?? null, { onSuccess: () => setChoosing(false) })}
            onClose={() => setChoosing(false)}
          />
        </Suspense>
      )}
    </Panel>
  );
}

const useUseModel = () =>
  useChange((model: string | null) => api.models.use(model), ["models", "status", "providers"]);

function Found() {
  const found = useModelChoices().data?.found;
  if (!found || found.servers.length + found.coding_agents.length === 0) return null;
  return (
    <Panel title="Found on this machine">
      <ul className="flex flex-col gap-2">
        {found.servers.map(({ provider, label, base_url, models }) => (
          <li key={provider} className="flex flex-wrap items-center gap-2">
            <span className="font-medium">{label}</span>
            <Badge tone="good">{count(models, "model")}</Badge>
            <span className="text-xs text-ink-faint">{base_url}</span>
          </li>
        ))}
        {found.coding_agents.map(({ name, label, login_by }) => (
          <li key={name} className="flex flex-wrap items-center gap-2">
            <span className="font-medium">{label}</span>
            <Badge tone="good">logged in</Badge>
            <span className="text-xs text-ink-faint">
              {login_by.join(", ")}. Choose it as an agent's harness; no key is needed.
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const actionOn = ({ configured, needs_address }: ProviderInfo): string =>
  configured ? "Change" : needs_address ? "Add server" : "Add key";

interface ProviderRowProps {
  provider: ProviderInfo;
  onSaved: (saved: ProviderChecked) => void;
}

function ProviderRow({ provider, onSaved }: ProviderRowProps) {
  const [editing, setEditing] = useState(false);
  const { provider: name, label, configured, from, base_url } = provider;
  const action = actionOn(provider);
  const remove = useChange(() => api.providers.remove(name), ["providers", "status", "models"]);
  return (
    <div className="flex flex-col gap-3 p-4">
      <div className="flex flex-wrap items-center gap-3">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-2 font-medium">
            {label}
            {configured && <Badge tone="good">configured</Badge>}
          </p>
          <p className="text-xs text-ink-faint">
            {from === "environment" ? "From the environment" : from === "settings" ? "Added here" : ""}
            {base_url && ` ${base_url}`}
          </p>
        </div>
        {from === "settings" && (
          <Button
            size="sm"
            look="danger"
            busy={remove.isPending}
            doing="Removing…"
            aria-label={`Remove ${label}`}
            onClick={() => remove.mutate(undefined)}
          >
            Remove
          </Button>
        )}
        <Button
          size="sm"
          aria-expanded={editing}
          aria-label={`${action}: ${label}`}
          onClick={() => setEditing(!editing)}
        >
          {action}
        </Button>
      </div>
      {editing && (
        <ProviderForm
          provider={provider}
          onCancel={() => setEditing(false)}
          onSaved={(saved) => {
            setEditing(false);
            onSaved(saved);
          }}
        />
      )}
      <ChangeFailure error={remove.error} />
    </div>
  );
}

/** After a provider was saved: which of its models answers by default. */
function ChooseDefault({ saved, onDone }: { saved: ProviderChecked; onDone: () => void }) {
  const use = useUseModel();
  if (saved.models.length === 0 || saved.default.from === "environment") return null;
  return (
    <Suspense>
      <ModelPicker
        title={`${saved.label} works. Choose the default model`}
        current={saved.default.name}
        only={saved.models}
        onChoose={(name) => use.mutate(name ?? null, { onSuccess: onDone })}
        onClose={onDone}
      />
    </Suspense>
  );
}
