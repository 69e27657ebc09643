/** Where tests find the real coding agents: the cache that `node tools/install-agents.ts` fills. */
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";

export const AGENTS_CACHE = process.env.CAPSTAN_AGENTS_CACHE ?? join(homedir(), ".cache", "capstan-agents");
export const agentBin = (agent: string): string => join(AGENTS_CACHE, agent, "node_modules", ".bin");
/** A PATH with these agents before everything else. */
export const pathWith = (agents: readonly string[]): string =>
  [...agents.map(agentBin), dirname(process.execPath), process.env.PATH ?? ""].join(delimiter);
