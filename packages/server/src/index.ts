export { type Log, openLog } from "./settings/log.ts";
export { parseSettings, type Settings } from "./settings/settings.ts";
export { type RunningServer, type StartOptions, startServer } from "./start/start-server.ts";
