/** The banner of a started server: its address, where the data is stored, which model answers, notes. */
import { isLoopback } from "../auth/guard-origin.ts";
import type { FoundAgent } from "../models/find-models.ts";
import type { Settings } from "../settings/settings.ts";
import type { OpenFeatures } from "./open-features.ts";
import type { RunningServer } from "./serve.ts";

const HOW_TO_GET_A_MODEL = "; add a real one with `capstan providers add` or in the studio's settings";

const NOT_KNOWN = { label: "unknown: the database does not answer just now", demo: false, from: "demo" };

/** Why it is this model, if it is not obvious. */
const REASONS: Readonly<Record<string, string>> = {
  environment: " (CAPSTAN_MODEL)",
  settings: " (chosen by you)",
  provider: " (from a provider's key)",
  local: " (found on this machine)",
};

export async function greeting({ url, opens, services }: RunningServer): Promise<string> {
  const { models } = services;
  const found = await models.finder.look();
  const { label, demo, from } = await models.defaultModel().catch(() => NOT_KNOWN);
  const others = [
    ...found.servers.map(
      ({ label: name, models: own }) => `${name} (${own.length} model${own.length === 1 ? "" : "s"})`,
    ),
    ...found.agents.map((agent) => `${agent.label} (${usableAs(agent, services.settings)})`),
  ];
  const lines = [
    ["open", opens],
    ["data", services.database.location],
    ["model", label + (demo ? HOW_TO_GET_A_MODEL : (REASONS[from] ?? ""))],
    ...(others.length > 0 ? [["found", `${others.join(", ")}; change with \`capstan models use\``]] : []),
    ...found.silent.map((why) => ["note", why]),
    ["docs", `${url}/docs`],
    ...(await missingKey(services)),
    ...services.notes().map((note) => ["note", note]),
  ];
  const facts = lines.map(([name = "", value]) => `  ${name.padEnd(7)} ${value}`).join("\n");
  return `\n  Capstan is ready\n\n${facts}\n\n`;
}

/** As root, agents run such a program as their user, who has no login but a key in the environment. */
function usableAs({ name, loginBy }: FoundAgent, { CAPSTAN_HARNESS_AS_SERVER: asServer }: Settings): string {
  const isRootsOnly = process.getuid?.() === 0 && loginBy.every((by) => by.startsWith("~"));
  return isRootsOnly && !asServer.includes(name)
    ? `logged in for root; agents use that login with CAPSTAN_HARNESS_AS_SERVER=${name}`
    : "logged in, usable as an agent's harness";
}

/** If keys are required and there is none, no request can succeed: this comes first. */
async function missingKey({
  settings,
  keys,
}: Pick<OpenFeatures, "settings" | "keys">): Promise<[string, string][]> {
  if (isLoopback(settings.HOST)) return [];
  const known = await keys.list().catch(() => undefined);
  if (known === undefined || known.some(({ revoked }) => !revoked)) return [];
  const how =
    "`npx capstan keys create admin --right admin`, in this folder or with the same CAPSTAN_DATA_DIR";
  return [["key", `none yet, and every request requires one; create the first on this machine: ${how}`]];
}
