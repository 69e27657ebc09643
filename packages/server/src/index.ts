export { type Log, openLog } from "./log.ts";
export { parseSettings, type Settings } from "./settings.ts";
export { type RunningServer, type StartOptions, startServer } from "./start-server.ts";
