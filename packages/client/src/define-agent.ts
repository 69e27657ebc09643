import type { AgentFile } from "./agent-file.ts";

/** Only for its types: `export default defineAgent({ ... })`. */
export const defineAgent = (file: AgentFile): AgentFile => file;
