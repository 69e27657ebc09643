/** The entry of the maintenance process; the command line starts it as it starts the server. */
import { parseSettings } from "../settings/settings.ts";
import { type MaintenanceLine, maintain } from "./maintain.ts";

const say = (line: MaintenanceLine) => process.stdout.write(`${JSON.stringify(line)}\n`);
const settings = parseSettings(process.env);
if (!settings.ok) say({ failed: settings.failure });
const done = settings.ok && (await maintain(process.argv.slice(2), settings.value, say));
process.exitCode = done ? 0 : 1;
