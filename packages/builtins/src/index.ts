export { type BuiltinOptions, builtinCapabilities } from "./builtin-capabilities.ts";
export { SANDBOX, sandboxCapability } from "./capabilities/sandbox.ts";
export { countTokens } from "./models/tokenizer.ts";
