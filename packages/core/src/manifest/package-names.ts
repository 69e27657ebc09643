/**
 * How capability packages and their commands are named: `aech-cli-*`, `aech-rt-*`, and the same under our own prefix.
 * Wheels write `_` for `-` and npm may put a scope in front; all spellings are one name.
 */

export type PackageRole = "cli" | "rt";

export interface PackageName {
  readonly prefix: "aech" | "capstan";
  readonly role: PackageRole;
  /** The capability's part of the name, such as `inbox-assistant`. */
  readonly name: string;
  /** The whole name as commands spell it, such as `aech-rt-inbox-assistant`. */
  readonly full: string;
}

const NAME = /^(aech|capstan)-(cli|rt)-([a-z0-9]+(?:-[a-z0-9]+)*)$/;
const MAX_CHARS = 80;

export const PACKAGE_NAME_RULE = "aech-cli-*, aech-rt-*, capstan-cli-* or capstan-rt-* in lower case";

/** Reads a name of a wheel, an npm package, a folder or a command; undefined when it follows no rule. */
export function readPackageName(text: string): PackageName | undefined {
  if (text.length > MAX_CHARS) return undefined;
  const full = text.replace(/^@[a-z0-9][a-z0-9._-]*\//, "").replaceAll("_", "-");
  const match = NAME.exec(full);
  if (!match) return undefined;
  const [, prefix, role, name] = match;
  return { prefix: prefix as PackageName["prefix"], role: role as PackageRole, name: name ?? "", full };
}

/** Whether a manifest's `command` is a plain command name by the rules; anything a shell would read is not. */
export function isCommandName(command: string): boolean {
  return command.length <= MAX_CHARS && NAME.test(command);
}
