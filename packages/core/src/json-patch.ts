/** JSON Patch (RFC 6902) on plain values, for the shared state. The input value is never modified; a patch that does not apply changes nothing. */
import type { JsonPatchOperation } from "./events.ts";
import type { JsonValue } from "./schema.ts";

export type Patched =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly where: string };

export function applyPatch(document: JsonValue, patch: readonly JsonPatchOperation[]): Patched {
  let value: JsonValue = structuredClone(document);
  for (const [index, operation] of patch.entries()) {
    const applied = applyOne(value, operation);
    if (!applied.ok)
      return {
        ok: false,
        where: `operation ${index + 1} (${operation.op} ${operation.path}): ${applied.where}`,
      };
    value = applied.value;
  }
  return { ok: true, value };
}

function applyOne(document: JsonValue, operation: JsonPatchOperation): Patched {
  switch (operation.op) {
    case "add":
    case "replace":
      return put(document, operation.path, operation.value, operation.op === "replace");
    case "remove":
      return take(document, operation.path);
    case "test": {
      const found = get(document, operation.path);
      if (!found.ok) return found;
      return sameJson(found.value, operation.value)
        ? { ok: true, value: document }
        : { ok: false, where: "the value differs" };
    }
    case "copy":
    case "move": {
      const found = get(document, operation.from);
      if (!found.ok) return found;
      const rest =
        operation.op === "move" ? take(document, operation.from) : { ok: true as const, value: document };
      return rest.ok ? put(rest.value, operation.path, structuredClone(found.value), false) : rest;
    }
  }
}

const segmentsOf = (path: string): string[] =>
  path
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));

const UNSAFE = new Set(["__proto__", "constructor", "prototype"]); // a patch comes from a model or a client

function get(document: JsonValue, path: string): Patched {
  if (path !== "" && !path.startsWith("/")) return { ok: false, where: "a path must start with /" };
  let value: JsonValue = document;
  for (const segment of segmentsOf(path)) {
    const next = child(value, segment);
    if (next === undefined) return { ok: false, where: `nothing exists at ${path}` };
    value = next;
  }
  return { ok: true, value };
}

function child(value: JsonValue, segment: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(segment) ? value[Number(segment)] : undefined;
  return typeof value === "object" && value !== null && Object.hasOwn(value, segment)
    ? value[segment]
    : undefined;
}

function put(document: JsonValue, path: string, value: JsonValue, mustExist: boolean): Patched {
  if (path === "") return { ok: true, value };
  const place = parentOf(document, path);
  if (!place.ok) return place;
  const { parent, key } = place;
  if (mustExist && child(parent, key) === undefined) return { ok: false, where: `nothing exists at ${path}` };
  if (!Array.isArray(parent)) {
    parent[key] = value;
    return { ok: true, value: document };
  }
  const index = key === "-" ? parent.length : Number(key);
  if (!Number.isInteger(index) || index < 0 || index > parent.length) {
    return { ok: false, where: `${key} is not an index of the list` };
  }
  parent.splice(index, mustExist ? 1 : 0, value);
  return { ok: true, value: document };
}

function take(document: JsonValue, path: string): Patched {
  if (path === "") return { ok: true, value: null };
  const place = parentOf(document, path);
  if (!place.ok) return place;
  const { parent, key } = place;
  if (child(parent, key) === undefined) return { ok: false, where: `nothing exists at ${path}` };
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
  return { ok: true, value: document };
}

type Place =
  | { readonly ok: true; readonly parent: JsonValue[] | { [key: string]: JsonValue }; readonly key: string }
  | { readonly ok: false; readonly where: string };

function parentOf(document: JsonValue, path: string): Place {
  const cut = path.lastIndexOf("/");
  if (cut < 0) return { ok: false, where: "a path must start with /" };
  const parent = get(document, path.slice(0, cut));
  if (!parent.ok) return parent;
  const [key = ""] = segmentsOf(path.slice(cut));
  if (UNSAFE.has(key)) return { ok: false, where: `${key} is not a name that may be set` };
  return typeof parent.value === "object" && parent.value !== null
    ? { ok: true, parent: parent.value, key }
    : { ok: false, where: `${path.slice(0, cut) || "the document"} is not an object or a list` };
}

function sameJson(a: JsonValue, b: JsonValue): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => {
      const [one, two] = [(a as Record<string, JsonValue>)[key], (b as Record<string, JsonValue>)[key]];
      return one !== undefined && two !== undefined && sameJson(one, two);
    })
  );
}
