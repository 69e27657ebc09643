/** What a person sees when the server is up: where it is, where the data lies, which model answers, what to know. */
import { isLoopback } from "../auth/guard-origin.ts";
import type { RunningServer } from "./serve.ts";
import type { Services } from "./services.ts";

const HOW_TO_GET_A_MODEL = "; set ANTHROPIC_API_KEY, OPENAI_API_KEY or another provider's key for a real one";

const NOT_KNOWN = { label: "not known: the database does not answer just now", demo: false };

const TIERS = { static: "words and a table of meanings", minilm: "words, a table of meanings, and MiniLM" };

export async function greeting({ url, opens, services }: RunningServer): Promise<string> {
  const { label, demo } = await services.models.defaultModel().catch(() => NOT_KNOWN);
  const lines = [
    ["open", opens],
    ["data", services.database.location],
    ["model", label + (demo ? HOW_TO_GET_A_MODEL : "")],
    ["routing", TIERS[services.routeTier.name]],
    ["docs", `${url}/docs`],
    ...(await missingKey(services)),
    ...services.notes().map((note) => ["note", note]),
  ];
  const facts = lines.map(([name = "", value]) => `  ${name.padEnd(7)} ${value}`).join("\n");
  return `\n  Capstan is ready\n\n${facts}\n\n`;
}

/** Where keys are demanded and there is none, nothing can be asked: the first thing to know. */
async function missingKey({ settings, keys }: Services): Promise<[string, string][]> {
  if (isLoopback(settings.HOST)) return [];
  const known = await keys.list().catch(() => undefined);
  if (known === undefined || known.some(({ revoked }) => !revoked)) return [];
  const how =
    "`npx capstan keys create admin --right admin`, in this folder or with the same CAPSTAN_DATA_DIR";
  return [["key", `none yet, and every request needs one; make the first on this machine: ${how}`]];
}
