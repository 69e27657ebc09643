/** Every available model: from providers with a key, from servers on this machine, and built in. */

import type { ModelChoice, ModelChoices } from "@capstan/client";
import { type ModelCapabilities, NATIVE_AGENT } from "@capstan/core/internal";
import { OFFLINE, type ServerModels } from "./models.ts";
import type { Providers } from "./providers.ts";

export async function modelChoices({
  models,
  providers,
}: {
  readonly models: ServerModels;
  readonly providers: Providers;
}): Promise<ModelChoices> {
  const [found, current, states, registry] = await Promise.all([
    models.finder.look(),
    models.defaultModel(),
    providers.list(),
    models.registry(),
  ]);
  const labels = new Map(states.map(({ provider, label }) => [provider, label]));
  const configured = new Set(states.filter((state) => state.configured).map(({ provider }) => provider));
  const listed = registry
    .models(NATIVE_AGENT)
    .filter(({ provider = "", deprecated }) => configured.has(provider) && !deprecated)
    .map((model) => listedChoice(model, labels.get(model.provider ?? "") ?? ""));
  const local = [...found.servers, ...found.hosted].flatMap(({ provider, label, models: own }) =>
    own.map(
      ({ id, contextWindow, tools, images, inputPrice, outputPrice }): ModelChoice => ({
        name: `${provider}/${id}`,
        label: id,
        provider,
        provider_label: label,
        context_window: contextWindow ?? null,
        input_price: inputPrice ?? null,
        output_price: outputPrice ?? null,
        tools: tools ?? null,
        images: images ?? null,
        thinking: null,
        local: !configured.has(provider),
        demo: false,
      }),
    ),
  );
  const builtIn = Object.values(models.builtIn).map(
    ({ name, label, contextWindow, inputs }): ModelChoice => ({
      name,
      label,
      provider: name.split("/", 1)[0] ?? name,
      provider_label: "Built in",
      context_window: contextWindow,
      input_price: null,
      output_price: null,
      tools: true,
      images: inputs.image,
      thinking: false,
      local: true,
      demo: name === OFFLINE,
    }),
  );
  const items = [...local, ...listed, ...builtIn];
  return {
    default: current,
    items: items.filter(({ name }, index) => items.findIndex((each) => each.name === name) === index),
    found: {
      servers: found.servers.map(({ provider, label, baseUrl, models: own }) => ({
        provider,
        label,
        base_url: baseUrl,
        models: own.length,
      })),
      coding_agents: found.agents.map(({ name, label, loginBy }) => ({
        name,
        label,
        login_by: [...loginBy],
      })),
    },
  };
}

function listedChoice(model: ModelCapabilities, providerLabel: string): ModelChoice {
  const { modelId, provider = "", displayName } = model;
  return {
    name: modelId.startsWith(`${provider}/`) ? modelId : `${provider}/${modelId}`,
    label: displayName,
    provider,
    provider_label: providerLabel,
    context_window: model.contextWindow,
    input_price: model.inputPricePerMillion ?? null,
    output_price: model.outputPricePerMillion ?? null,
    tools: model.supportsToolCalling,
    images: model.supportsImageInput,
    thinking: model.supportsThinking,
    local: false,
    demo: false,
  };
}
