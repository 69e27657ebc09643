/** The nine capabilities of the specification, in its order. To add one: its file, and a line here. */
import type { Capability, Sandbox } from "@capstan/core";
import { sandboxCapability } from "./capabilities/sandbox.ts";

export interface BuiltinOptions {
  /** Which languages code may be run in here. */
  readonly sandbox?: Pick<Sandbox, "unavailable"> | undefined;
}

export function builtinCapabilities({ sandbox }: BuiltinOptions = {}): Capability[] {
  return [sandboxCapability(sandbox)];
}
