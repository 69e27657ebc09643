/**
 * A server that demands keys has none at first. Whoever can read its data folder owns it, so that is where a token lies
 * which is as good as the first key, for as long as the process runs: `capstan keys create` finds it there.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../settings/settings.ts";
import { isLoopback } from "./guard-origin.ts";

const PREFIX = "owner_";
const TOKEN_BYTES = 32;

export interface OwnerToken {
  /** Absent where no key is demanded. */
  readonly token?: string;
  close(): void;
}

export function openOwnerToken({
  HOST,
  CAPSTAN_DATA_DIR,
}: Pick<Settings, "HOST" | "CAPSTAN_DATA_DIR">): OwnerToken {
  const path = join(CAPSTAN_DATA_DIR, "owner-token");
  const close = () => rmSync(path, { force: true });
  close(); // of a process that was killed
  if (isLoopback(HOST)) return { close };
  const token = PREFIX + randomBytes(TOKEN_BYTES).toString("base64url");
  mkdirSync(CAPSTAN_DATA_DIR, { recursive: true });
  writeFileSync(path, `${token}\n`, { mode: 0o600 });
  return { token, close };
}

/** Also one of another process: it says nothing about the caller then, as if nothing had been sent. */
export const isOwnerToken = (token: string): boolean => token.startsWith(PREFIX);
