/** What a person sees when the server is up: where it is, where the data lies, which model answers, what to know. */
import type { RunningServer } from "./serve.ts";

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
    ...services.notes().map((note) => ["note", note]),
  ];
  const facts = lines.map(([name = "", value]) => `  ${name.padEnd(7)} ${value}`).join("\n");
  return `\n  Capstan is ready\n\n${facts}\n\n`;
}
