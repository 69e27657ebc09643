/**
 * GET requests that do something: `GET /podcasts/{id}/clear-queue`. Public documents have them, and what only reads is called on a guess,
 * so an operation named or summarised by such a verb counts as one that writes.
 */
import { words } from "@capstan/core/internal";

export interface NamedOperation {
  readonly path: string;
  readonly operationId?: string | undefined;
  readonly summary?: string | undefined;
}

const DEEDS = new Set(
  `delete remove clear reset purge wipe flush empty revoke cancel disable enable restart reboot shutdown logout unsubscribe subscribe send
   trigger execute approve reject activate deactivate archive unarchive publish acknowledge`.split(/\s+/),
);
/** Only in a sentence: a path may end in "start", which is a time. */
const ALSO_THINGS = new Set([
  "start",
  "stop",
  "run",
  "mark",
  "set",
  "create",
  "add",
  "update",
  "generate",
  "sync",
]);

export function isDeed({ path, operationId = "", summary = "" }: NamedOperation): boolean {
  const last = path.split("/").findLast((part) => part !== "" && !part.includes("{")) ?? "";
  const [verb = ""] = words(summary);
  return (
    DEEDS.has(verb) || ALSO_THINGS.has(verb) || [last, operationId].some((name) => DEEDS.has(firstWord(name)))
  );
}

const firstWord = (name: string): string =>
  words(name.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").replaceAll(/[_.-]+/g, " "))[0] ?? "";
