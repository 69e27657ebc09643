/**
 * Naming of capability packages and their commands: `aech-cli-*`, `aech-rt-*`, and the same with our own prefix.
 * Wheels write `_` for `-` and npm may add a scope; all spellings are the same name.
 */

export type PackageRole = "cli" | "rt";

export interface PackageName {
  readonly prefix: "aech" | "capstan";
  readonly role: PackageRole;
  /** The capability's part of the name, such as `inbox-assistant`. */
  readonly name: string;
  /** The full name as commands spell it, such as `aech-rt-inbox-assistant`. */
  readonly full: string;
}

const NAME = /^(aech|capstan)-(cli|rt)-([a-z0-9]+(?:-[a-z0-9]+)*)$/;
const MAX_CHARS = 80;

export const PACKAGE_NAME_RULE = "aech-cli-*, aech-rt-*, capstan-cli-* or capstan-rt-* in lower case";

/** Parses the name of a wheel, an npm package, a folder or a command; undefined when it follows no rule. */
export function readPackageName(text: string): PackageName | undefined {
  if (text.length > MAX_CHARS) return undefined;
  const full = text.replace(/^@[a-z0-9][a-z0-9._-]*\//, "").replaceAll("_", "-");
  const match = NAME.exec(full);
  if (!match) return undefined;
  const [, prefix, role, name] = match;
  return { prefix: prefix as PackageName["prefix"], role: role as PackageRole, name: name ?? "", full };
}

/** Whether a manifest's `command` is a plain command name by these rules, without shell syntax. */
export function isCommandName(command: string): boolean {
  return command.length <= MAX_CHARS && NAME.test(command);
}
