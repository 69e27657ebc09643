/**
 * Which fields of a capability's config are secret: those marked write-only, as a password, or with
 * `x-secret` in its schema. They are encrypted when an agent is stored and never shown; only composing decrypts them.
 */
import type { JsonSchema } from "../schema.ts";
import { schemasAt, schemasOfPart } from "./config-schema.ts";

/** Shown in place of a secret; sent back, it means "unchanged". */
export const SEALED_SHOWN = "[sealed]";

/** A secret as it is stored. */
export interface SealedValue {
  readonly $sealed: string;
}

export const isSealed = (value: unknown): value is SealedValue =>
  isObject(value) && typeof value.$sealed === "string" && Object.keys(value).length === 1;

/** The value with every secret replaced; `path` is its position, such as `auth.token`. */
export function changeSecrets(
  schema: JsonSchema | undefined,
  value: unknown,
  change: (secret: unknown, path: string) => unknown,
): unknown {
  const changeAt = (schemas: readonly JsonSchema[], given: unknown, path: string): unknown => {
    if (schemas.length === 0 || given === undefined || given === null) return given;
    if (schemas.some(isSecret)) return change(given, path);
    const part = (each: unknown, name: string) =>
      changeAt(schemasOfPart(schemas, name, schema), each, path === "" ? name : `${path}.${name}`);
    if (Array.isArray(given)) return given.map((each, at) => part(each, String(at)));
    if (!isObject(given) || isSealed(given)) return given;
    return Object.fromEntries(Object.entries(given).map(([name, each]) => [name, part(each, name)]));
  };
  return changeAt(schemasAt(schema, schema), value, "");
}

/** The value to show: every sealed value is a placeholder. */
export function hideSealed(value: unknown): unknown {
  return changeSealed(value, () => SEALED_SHOWN);
}

/** Whether it contains a sealed value: a client that sends one got it from where it should not look. */
export function holdsSealed(value: unknown): boolean {
  let found = false;
  changeSealed(value, (sealed) => {
    found = true;
    return sealed;
  });
  return found;
}

/** Replaces every sealed value, wherever it is. */
export function changeSealed(
  value: unknown,
  change: (sealed: SealedValue, path: string) => unknown,
  path = "",
): unknown {
  if (isSealed(value)) return change(value, path);
  const at = (name: string) => (path === "" ? name : `${path}.${name}`);
  if (Array.isArray(value)) return value.map((each, index) => changeSealed(each, change, at(String(index))));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, changeSealed(each, change, at(name))]),
  );
}

/** Restores stored values where their placeholder was sent. */
export function keepSealed(before: unknown, after: unknown): unknown {
  if (after === SEALED_SHOWN && isSealed(before)) return before;
  if (Array.isArray(after))
    return after.map((each, at) => keepSealed(Array.isArray(before) ? before[at] : undefined, each));
  if (!isObject(after)) return after;
  const had = isObject(before) ? before : {};
  return Object.fromEntries(Object.entries(after).map(([name, each]) => [name, keepSealed(had[name], each)]));
}

const isSecret = (schema: JsonSchema): boolean =>
  schema.writeOnly === true || schema.format === "password" || schema["x-secret"] === true;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === "object" && !Array.isArray(value);
