/** The folder of one run: settings and attachments, readable by nobody else, deleted with the run. */
import { lchown, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, extname, join, resolve, sep } from "node:path";
import type { Attachment, PlacedAttachment, RunFile } from "@capstan/core/internal";
import { mergeDocuments } from "../adapters/run-parts.ts";
import { parseObject } from "../lines/json-line.ts";
import { type HomeFiles, OWN_HOME } from "./home-files.ts";

export const MAX_ATTACHMENT_BYTES = 10_000_000; // providers refuse more, and base64 of it goes through a pipe

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

/** Attachments on disk and in memory; data without a path gets one in the run's folder. */
export function placeAttachments(
  attachments: readonly Attachment[] = [],
  folder: string,
  cwd: string,
): Promise<PlacedAttachment[]> {
  return Promise.all(
    attachments.map(async (attachment, index) => {
      if ("path" in attachment) return readAttachment(attachment, cwd);
      const { mimeType, data, name = `attachment-${index + 1}` } = attachment;
      const path = join(folder, "attachments", name.replaceAll(/[^\w.-]/g, "_"));
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(path, Buffer.from(data, "base64"), { mode: 0o600 });
      return { path, mimeType, data };
    }),
  );
}

async function readAttachment(attachment: { path: string; mimeType?: string | undefined }, cwd: string) {
  const path = resolve(cwd, attachment.path);
  const { size } = await stat(path);
  if (size > MAX_ATTACHMENT_BYTES)
    throw new Error(`${path} has ${size} bytes; at most ${MAX_ATTACHMENT_BYTES} can be attached.`);
  const data = (await readFile(path)).toString("base64");
  return { path, data, mimeType: attachment.mimeType ?? typeByName(path) };
}

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

export const typeByName = (path: string) => TYPES[extname(path).toLowerCase()] ?? "text/plain";
