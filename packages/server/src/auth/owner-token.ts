/**
 * A server that requires keys has none at first. Whoever can read its data folder owns it, so a token is stored there
 * that works like an admin key while the process runs: `capstan keys create` finds it.
 */
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../settings/settings.ts";
import { isLoopback } from "./guard-origin.ts";

const PREFIX = "owner_";
const TOKEN_BYTES = 32;

export interface OwnerToken {
  /** Absent where no key is required. */
  readonly token?: string;
  close(): void;
}

export function openOwnerToken({
  HOST,
  CAPSTAN_DATA_DIR,
  CAPSTAN_OIDC_ISSUER,
}: Pick<Settings, "HOST" | "CAPSTAN_DATA_DIR" | "CAPSTAN_OIDC_ISSUER">): OwnerToken {
  const path = join(CAPSTAN_DATA_DIR, "owner-token");
  const close = () => rmSync(path, { force: true });
  close(); // of a process that was killed
  if (isLoopback(HOST) && CAPSTAN_OIDC_ISSUER === undefined) return { close };
  const token = PREFIX + randomBytes(TOKEN_BYTES).toString("base64url");
  mkdirSync(CAPSTAN_DATA_DIR, { recursive: true });
  writeFileSync(path, `${token}\n`, { mode: 0o600 });
  return { token, close };
}

/** Also one of another process: then it is ignored. */
export const isOwnerToken = (token: string): boolean => token.startsWith(PREFIX);
