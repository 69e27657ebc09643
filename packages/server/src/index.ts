export { openLog } from "./log.ts";
export { type RunningServer, startServer } from "./serve.ts";
export { parseSettings, type Settings } from "./settings.ts";
