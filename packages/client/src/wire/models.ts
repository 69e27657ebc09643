/** Models and their providers: what is available, what was found on the server's machine, what is the default. */
import { z } from "zod";
import { listOf } from "./page.ts";
import { readBack } from "./read-back.ts";

export const ModelChoice = z
  .object({
    name: z.string().meta({ description: "`provider/model`, as used in agents and messages." }),
    label: z.string(),
    provider: z.string(),
    provider_label: z.string(),
    context_window: z.int().nullable(),
    input_price: z.number().nullable().meta({ description: "USD per million tokens." }),
    output_price: z.number().nullable(),
    tools: z.boolean().nullable().meta({ description: "Null if its server does not report it." }),
    images: z.boolean().nullable(),
    thinking: z.boolean().nullable(),
    local: z.boolean().meta({ description: "Runs on the server's machine." }),
    demo: z.boolean(),
  })
  .meta({ id: "ModelChoice" });
export type ModelChoice = z.infer<typeof ModelChoice>;

export const DefaultModel = z
  .object({
    name: z.string(),
    label: z.string(),
    demo: z.boolean(),
    from: z.enum(["environment", "settings", "provider", "local", "demo"]).meta({
      description: "CAPSTAN_MODEL, an operator's choice, a provider's key, a local server, or nothing.",
    }),
  })
  .meta({ id: "DefaultModel" });
export type DefaultModel = z.infer<typeof DefaultModel>;

export const FoundServer = z
  .object({ provider: z.string(), label: z.string(), base_url: z.string(), models: z.int() })
  .meta({ id: "FoundServer" });
export const FoundCodingAgent = z
  .object({
    name: z.string().meta({ description: "The value for an agent's `harness`." }),
    label: z.string(),
    login_by: z
      .array(z.string())
      .meta({ description: "The file or variable that holds the credentials; names only." }),
  })
  .meta({ id: "FoundCodingAgent" });
export type FoundCodingAgent = z.infer<typeof FoundCodingAgent>;

export const ModelChoices = z
  .object({
    default: DefaultModel,
    items: z.array(ModelChoice),
    found: z.object({ servers: z.array(FoundServer), coding_agents: z.array(FoundCodingAgent) }),
  })
  .meta({ id: "ModelChoices" });
export type ModelChoices = z.infer<typeof ModelChoices>;

export const DefaultModelPut = z
  .strictObject({
    model: z
      .string()
      .max(300)
      .nullable()
      .meta({ description: "`provider/model`; null restores automatic selection." }),
  })
  .meta({ id: "DefaultModelPut" });
export type DefaultModelPut = z.input<typeof DefaultModelPut>;

export const ProviderName = z.string().regex(/^[a-z][a-z0-9-]{1,30}$/);

export const ProviderInfo = z
  .object({
    provider: z.string(),
    label: z.string(),
    configured: z.boolean(),
    from: z.enum(["environment", "settings", "none"]),
    base_url: z.string().optional(),
    needs_address: z.boolean().meta({ description: "It has no default address; the key is optional." }),
    example_address: z.string(),
  })
  .meta({ id: "Provider", description: "May be sent back to `PUT` as it was read." });
export type ProviderInfo = z.infer<typeof ProviderInfo>;

export const ProviderList = listOf(ProviderInfo);

export const ProviderPut = z
  .strictObject({
    ...readBack(ProviderInfo.omit({ base_url: true }).shape),
    api_key: z
      .string()
      .trim()
      .min(1)
      .max(1000)
      .optional()
      .meta({ writeOnly: true, description: "Write-only. Left out, or `[sealed]`: as it was." }),
    base_url: z.url({ protocol: /^https?$/ }).optional(),
    default_model: z
      .string()
      .max(300)
      .optional()
      .meta({ description: "Use this model as the default; tested before anything is saved." }),
    check: z.boolean().default(true).meta({ description: "False saves without testing the provider." }),
  })
  .meta({ id: "ProviderPut" });
export type ProviderPut = z.input<typeof ProviderPut>;

export const ProviderChecked = z
  .object({
    ...ProviderInfo.shape,
    models: z.array(z.string()).meta({ description: "`provider/model`; empty if it was not tested." }),
    tried_model: z.string().nullable(),
    took_ms: z.int().nullable(),
    default: DefaultModel,
  })
  .meta({ id: "ProviderChecked" });
export type ProviderChecked = z.infer<typeof ProviderChecked>;
