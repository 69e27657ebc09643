/**
 * The login of `capstan login`: one file per server address in the user's config folder, readable by that user alone. A file
 * that others can read, or that another user made, is refused, not repaired: its token may have leaked.
 */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

export interface StoredLogin {
  readonly url: string;
  readonly token: string;
  readonly user: string;
  readonly expiresAt: string;
}

export class LoginFileRefused extends Error {
  readonly file: string;
  constructor(file: string, why: string) {
    super(why);
    this.file = file;
  }
}

export function loginFile(url: string, { XDG_CONFIG_HOME = "", HOME = "" }: Environment): string {
  const home = isAbsolute(HOME) ? HOME : homedir();
  const config = isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(home, ".config");
  return join(config, "capstan", "logins", `${encodeURIComponent(addressOf(url))}.json`);
}

/** The same server in every spelling. */
const addressOf = (url: string): string => (URL.canParse(url) ? new URL(url).href : url).replace(/\/+$/, "");

export function readLogin(url: string, environment: Environment): StoredLogin | undefined {
  const file = loginFile(url, environment);
  const text = readPrivate(file);
  if (text === undefined) return undefined;
  const login = parsed(text);
  if (login === undefined) throw new LoginFileRefused(file, "it cannot be read as a login");
  if (login.url !== addressOf(url)) throw new LoginFileRefused(file, `it is for ${login.url}`);
  return login;
}

function readPrivate(file: string): string | undefined {
  let opened: number;
  try {
    opened = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new LoginFileRefused(file, code === "ELOOP" ? "it is a link" : `the system refused (${code})`);
  }
  try {
    const why = faultIn(fstatSync(opened));
    if (why !== undefined) throw new LoginFileRefused(file, why);
    return readFileSync(opened, "utf8");
  } finally {
    closeSync(opened);
  }
}

const MOST_BYTES = 20_000;

function faultIn(about: ReturnType<typeof fstatSync>): string | undefined {
  if (!about.isFile() || Number(about.size) > MOST_BYTES) return "it is not a file of ours";
  if (process.getuid === undefined) return undefined; // Windows: folders of users are private there
  if (about.uid !== process.getuid()) return "it belongs to another user";
  return (Number(about.mode) & 0o077) === 0 ? undefined : "others can read or change it";
}

function parsed(text: string): StoredLogin | undefined {
  try {
    const { url, token, user, expiresAt } = JSON.parse(text);
    const isWhole = [url, token, user, expiresAt].every((each) => typeof each === "string");
    return isWhole ? { url, token, user, expiresAt } : undefined;
  } catch {
    return undefined;
  }
}

/** Atomic: written to a temporary file, then renamed. */
export function writeLogin(login: StoredLogin, environment: Environment): string {
  const file = loginFile(login.url, environment);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${randomUUID()}`;
  try {
    const text = `${JSON.stringify({ ...login, url: addressOf(login.url) })}\n`;
    writeFileSync(beside, text, { mode: 0o600, flag: "wx" });
    renameSync(beside, file);
  } finally {
    rmSync(beside, { force: true });
  }
  return file;
}

export const removeLogin = (url: string, environment: Environment): void =>
  rmSync(loginFile(url, environment), { force: true });
