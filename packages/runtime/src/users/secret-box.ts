/** Encrypts what must be read back, such as provider keys: AES-256-GCM with a key of the operator or of the data folder. */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface SecretBox {
  seal(text: string): string;
  /** Undefined when it was encrypted with another key or was changed. */
  open(sealed: string): string | undefined;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** What a key is for: each purpose has its own, so that whoever has one cannot use it for another. */
export type KeyPurpose =
  | "sealing"
  | "webhook signatures"
  | "client registrations"
  | "sign-in attempts"
  | "device logins"
  | "provider tokens"
  | "audit head"
  | `organisation ${string}`;

export const derivedKey = (secret: string, purpose: KeyPurpose): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "capstan", purpose, 32));

/** For receivers of webhooks: it verifies signatures and decrypts nothing. */
export const webhookKey = (secret: string): string =>
  derivedKey(secret, "webhook signatures").toString("base64url");

export function secretBox(secret: string): SecretBox {
  const key = derivedKey(secret, "sealing");
  const older = createHash("sha256").update(`capstan secret box\n${secret}`).digest(); // encrypted before keys had purposes
  return {
    seal(text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, iv);
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64");
    },
    open: (sealed) => openWith(key, sealed) ?? openWith(older, sealed),
  };
}

function openWith(key: Buffer, sealed: string): string | undefined {
  try {
    const bytes = Buffer.from(sealed, "base64");
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
  } catch {
    return undefined;
  }
}

/** The operator's secret, or one generated once and stored in the data folder, readable only by its owner. */
export function dataFolderSecret(dataDir: string): string {
  const path = join(dataDir, "secret.key");
  if (existsSync(path)) return readFileSync(path, "utf8").trim();
  mkdirSync(dataDir, { recursive: true });
  const made = randomBytes(32).toString("base64url");
  writeFileSync(path, `${made}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
  return made;
}
