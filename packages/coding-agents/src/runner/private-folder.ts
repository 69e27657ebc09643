/** The folder of one run: settings and attachments, readable by nobody else, deleted with the run. */
import { lchown, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join, resolve, sep } from "node:path";
import { fail } from "@capstan/core";
import {
  type Attachment,
  type PlacedAttachment,
  type RunFile,
  RunRefusedError,
} from "@capstan/core/internal";
import { mergeDocuments } from "../adapters/run-parts.ts";
import { textOf } from "../files/text-of-bytes.ts";
import { parseObject } from "../lines/json-line.ts";
import { type AttachedTo, attachedFile } from "./attached-file.ts";
import { type HomeFiles, OWN_HOME } from "./home-files.ts";

export const privateFolder = (runId: string): string => join(tmpdir(), `capstan-run-${runId}`);

export async function writeRunFiles(
  folder: string,
  files: readonly RunFile[],
  home: HomeFiles = OWN_HOME,
): Promise<void> {
  for (const file of files) {
    const path = resolve(file.path);
    if (!path.startsWith(folder + sep))
      throw new Error(`A run's file must be in its own folder: ${file.path}`);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeRunFile(path, file, home);
  }
}

async function writeRunFile(path: string, file: RunFile, home: HomeFiles): Promise<void> {
  if ("linkTo" in file) return symlink(resolve(file.linkTo), path);
  if ("content" in file) return writeFile(path, file.content, { mode: 0o600 });
  if ("linksInto" in file) return linkEntries(path, file, home);
  const before = (await home.read(file.over)) ?? "{}";
  const document = mergeDocuments(parseObject(before), file.document);
  return writeFile(path, JSON.stringify(document, null, 2), { mode: 0o600 });
}

async function linkEntries(
  path: string,
  { linksInto, except = [], shared = [] }: Extract<RunFile, { linksInto: string }>,
  home: HomeFiles,
): Promise<void> {
  for (const name of shared) await home.makeFolder(join(linksInto, name));
  await mkdir(path, { recursive: true, mode: 0o700 });
  for (const name of await home.names(linksInto))
    if (!except.includes(name)) await symlink(join(linksInto, name), join(path, name));
}

/** Copies back what the agent wrote next to, or in place of, links: a refreshed login, its list of projects. */
export async function returnRunFiles(files: readonly RunFile[], home: HomeFiles = OWN_HOME): Promise<void> {
  for (const file of files) {
    if (!("linksInto" in file)) continue;
    const entries = await readdir(file.path, { withFileTypes: true }).catch(() => []);
    const own = entries.filter(
      (entry) => !entry.isSymbolicLink() && !(file.except ?? []).includes(entry.name),
    );
    if (own.length > 0) await home.makeFolder(file.linksInto);
    for (const { name } of own) await home.copyInto(file.path, name, file.linksInto);
  }
}

/** Gives the folder and its contents to another user; links stay links. */
export async function giveFolder(folder: string, user: { uid: number; gid: number }): Promise<void> {
  const entries = await readdir(folder, { recursive: true }).catch(() => undefined);
  if (!entries) return; // nothing was put there
  for (const name of ["", ...entries]) await lchown(join(folder, name), user.uid, user.gid);
}

export const removeFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/**
 * Attachments on disk and in memory: bytes, files from elsewhere, and files whose path has more than plain characters get a path in
 * the run's folder. Programs read there, and a path in a prompt or an address ends for them at a space, `#` or `%`.
 */
export function placeAttachments(
  attachments: readonly Attachment[] = [],
  folder: string,
  run: AttachedTo,
): Promise<PlacedAttachment[]> {
  return Promise.all(
    attachments.map(async (attachment, index) => {
      const place = join(folder, "attachments", String(index + 1));
      if ("path" in attachment) return placeFile(attachment, place, run);
      const { mimeType, data, name = `attachment-${index + 1}` } = attachment;
      return { path: await writeCopy(place, name, Buffer.from(data, "base64")), mimeType, data };
    }),
  );
}

async function placeFile(
  attachment: Extract<Attachment, { path: string }>,
  place: string,
  run: AttachedTo,
): Promise<PlacedAttachment> {
  const file = attachedFile(run, attachment.path);
  if (typeof file === "string") {
    const facts = { agent: run.agent, file: attachment.path, why: file };
    throw new RunRefusedError(fail("coding_agent_attachment_refused", facts).failure);
  }
  const { bytes, isInside } = file;
  const isReadable = isInside && PLAIN_PATH.test(file.path);
  const path = isReadable ? file.path : await writeCopy(place, attachment.name ?? basename(file.path), bytes);
  const mimeType = attachment.mimeType ?? typeByName(attachment.path) ?? typeByBytes(bytes);
  return { path, data: bytes.toString("base64"), mimeType };
}

const PLAIN_PATH = /^[\w./-]+$/;

/** Each in its own folder, because two may have the same name. */
async function writeCopy(place: string, name: string, bytes: Buffer): Promise<string> {
  const plain = name.replaceAll(/[^\w.-]/g, "_").replace(/^\.+$/, "attachment");
  const path = join(place, plain);
  await mkdir(place, { recursive: true, mode: 0o700 });
  await writeFile(path, bytes, { mode: 0o600 });
  return path;
}

const typeByBytes = (bytes: Buffer): string =>
  textOf(bytes) === undefined ? "application/octet-stream" : "text/plain";

const TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".bmp": "image/bmp",
  ".tif": "image/tiff",
  ".tiff": "image/tiff",
  ".heic": "image/heic",
  ".avif": "image/avif",
  ".pdf": "application/pdf",
  ".json": "application/json",
};

export const typeByName = (path: string): string | undefined => TYPES[extname(path).toLowerCase()];
