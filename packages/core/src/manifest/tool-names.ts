/** `name_action`: what models call an action. Models allow `[a-zA-Z0-9_-]` only, so spaces and dots become `_`. */
export function toolName(capability: string, action: string): string {
  return `${capability}_${action}`.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
}
