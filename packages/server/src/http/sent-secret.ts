/**
 * A secret in a body. The placeholder for a stored secret keeps it; if none is stored, the placeholder is not
 * accepted as a secret.
 */
import { fail, ok, type Result } from "@capstan/core";
import { SEALED_SHOWN } from "@capstan/core/internal";

export function sentSecret(
  field: string,
  value: string | undefined,
  isStored: boolean,
): Result<string | undefined> {
  if (value !== SEALED_SHOWN) return ok(value);
  if (isStored) return ok(undefined);
  return fail("input_invalid", { where: `${field}: the value is needed, none is stored` });
}
