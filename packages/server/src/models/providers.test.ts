import { expect, test } from "vitest";
import { parseSettings } from "../settings/settings.ts";
import { openProviders } from "./providers.ts";

const configured = async (environment: Record<string, string>) => {
  const settings = parseSettings(environment);
  if (!settings.ok) throw new Error(settings.failure.message);
  const nothingSaved = {
    list: async () => [],
    credentials: async () => undefined,
    put: async () => {},
    remove: async () => false,
  };
  const states = await openProviders(settings.value, nothingSaved).list();
  return states.filter((state) => state.configured).map(({ provider }) => provider);
};

test.each<[Record<string, string>, string[]]>([
  [{}, []],
  [{ OPENAI_API_KEY: "k" }, ["openai"]],
  [{ OPENAI_BASE_URL: "http://127.0.0.1:1/v1" }, []],
  [{ OPENAI_COMPATIBLE_API_KEY: "k" }, []],
  [
    { OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:1/v1", OPENAI_COMPATIBLE_API_KEY: "k" },
    ["openai-compatible"],
  ],
  [{ LOCALAI_BASE_URL: "http://127.0.0.1:1/v1" }, ["localai"]],
])("%j configures %j", async (environment, providers) => {
  expect(await configured(environment)).toEqual(providers);
});
