import type { AgentFile } from "./agent-file.ts";

/** Exists for its types: `export default defineAgent({ ... })`. */
export const defineAgent = (file: AgentFile): AgentFile => file;
