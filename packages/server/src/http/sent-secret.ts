/** A secret in a body. The word that stands for a sealed one leaves it as it is; where none is sealed, it is no secret. */
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
