/**
 * Encrypts the secret fields of an agent's configs. A sealed value names its capability and field, so that it is
 * useless when copied elsewhere.
 */
import type { CapabilityRegistry, JsonSchema } from "@capstan/core";
import { changeSealed, changeSecrets, isSealed } from "@capstan/core/internal";
import { z } from "zod";
import type { SecretBox } from "./secret-box.ts";

export interface ConfigSeal {
  /** Secrets that are sealed already stay as they are. */
  seal(capabilityId: string, config: unknown): unknown;
  /** A secret that was sealed with another key, or for another field, is left out. */
  open(capabilityId: string, config: unknown): unknown;
}

const Content = z.object({ capability: z.string(), path: z.string(), value: z.unknown() });

export function configSeal(registry: Pick<CapabilityRegistry, "versionsOf">, box: SecretBox): ConfigSeal {
  const sealAll = (capability: string, schema: JsonSchema | undefined, config: unknown) =>
    changeSecrets(schema, config, (value, path) =>
      isSealed(value) ? value : { $sealed: box.seal(JSON.stringify({ capability, path, value })) },
    );
  return {
    // A field counts as secret if any version marks it: an agent may move to that version.
    seal: (capability, config) =>
      registry
        .versionsOf(capability)
        .reduce((sealed, version) => sealAll(capability, version.config?.jsonSchema, sealed), config),
    open: (capability, config) =>
      changeSealed(config, ({ $sealed }, path) => {
        const text = box.open($sealed);
        const content = text === undefined ? undefined : Content.safeParse(JSON.parse(text)).data;
        return content?.capability === capability && content.path === path ? content.value : undefined;
      }),
  };
}
