/** What a person sees when the server is up: where it is, where the data lies, which model answers. */
import type { RunningServer } from "./serve.ts";

export function greeting({ url, services: { database, settings } }: RunningServer): string {
  const model = settings.CAPSTAN_MODEL ?? "capstan/offline (demo)";
  return `
  Capstan is ready

  open    ${url}
  data    ${database.location}
  model   ${model}${settings.CAPSTAN_MODEL ? "" : "; set ANTHROPIC_API_KEY, OPENAI_API_KEY or another provider's key for a real one"}
  docs    ${url}/docs

`;
}
