/** Expected failures are values. `throw` is for our own bugs. */
import type { Failure } from "./failures/failure.ts";

export type Ok<T> = { readonly ok: true; readonly value: T };
export type Refused = { readonly ok: false; readonly failure: Failure };
export type Result<T> = Ok<T> | Refused;

export const ok = <T>(value: T): Ok<T> => ({ ok: true, value });
