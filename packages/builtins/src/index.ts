export { SANDBOX, sandboxCapability } from "./capabilities/sandbox.ts";
