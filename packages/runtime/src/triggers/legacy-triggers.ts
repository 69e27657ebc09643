/**
 * The legacy file `data/rt-triggers.json`, `{ "{name}": [ ... ] }`: claimed by a rename, then written as one
 * file per trigger. Importing it again after a crash is harmless, because triggers are identified by their ids.
 */
import { access, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseKeepingDigits, readTriggerDocument } from "@capstan/core/internal";
import { z } from "zod";
import { readPlainText } from "../files/plain-file.ts";
import { createWhole, moveIfThere, writeWhole } from "./atomic-files.ts";
import type { ManagerPulse } from "./manager-pulse.ts";
import { isCapabilityFolder, STATE_FOLDERS } from "./trigger-names.ts";
import type { StepHook } from "./trigger-queue.ts";

const FILE = "rt-triggers.json";
const LEGACY_MAX_BYTES = 64 * 1024 * 1024;
const TAKEN = /^rt-triggers\.json\.taken\.([0-9a-f-]{36})$/;
const UNFINISHED_MS = 2_000; // it is written in place, so it may be incomplete for a moment

const Legacy = z.record(z.string(), z.array(z.unknown()).max(100_000));

export async function importLegacyTriggers(
  dataDir: string,
  pulse: ManagerPulse,
  onStep?: StepHook,
): Promise<void> {
  await take(dataDir, pulse.owner, onStep);
  const lives = pulse.whoLives();
  for (const name of await readdir(dataDir).catch(() => [])) {
    const owner = TAKEN.exec(name)?.[1];
    if (owner === undefined || (owner !== pulse.owner && (await lives(owner)))) continue;
    const path = join(dataDir, name);
    await writeOut(dataDir, path);
    onStep?.("legacy-written");
    await rm(path, { force: true });
  }
}

async function take(dataDir: string, owner: string, onStep?: StepHook): Promise<void> {
  const path = join(dataDir, FILE);
  const about = await stat(path).catch(() => undefined);
  if (!about?.isFile()) return;
  const text = (await readPlainText(path, LEGACY_MAX_BYTES)) ?? "";
  const isWhole = parsed(text) !== undefined;
  if (!isWhole && Date.now() - about.mtimeMs < UNFINISHED_MS) return;
  if (await moveIfThere(path, `${path}.taken.${owner}`)) onStep?.("legacy-taken");
}

async function writeOut(dataDir: string, path: string): Promise<void> {
  const root = join(dataDir, "rt_triggers");
  const text = (await readPlainText(path, LEGACY_MAX_BYTES)) ?? "";
  const legacy = parsed(text);
  if (!legacy)
    return setInvalid(join(root, "_legacy"), "rt-triggers", text, `${FILE} is not a JSON object of lists`);
  for (const [capability, entries] of Object.entries(legacy)) {
    if (!isCapabilityFolder(capability)) {
      await setInvalid(
        join(root, "_legacy"),
        "rt-triggers",
        JSON.stringify({ [capability]: entries }),
        `"${capability}" is not a capability`,
      );
      continue;
    }
    for (const [index, entry] of entries.entries()) await writeEntry(join(root, capability), entry, index);
  }
}

async function writeEntry(folder: string, entry: unknown, index: number): Promise<void> {
  const read = readTriggerDocument(entry);
  if (!read.ok) return setInvalid(folder, `legacy-${index}`, JSON.stringify(entry), read.failure.message);
  if (await isKnown(folder, read.value.id)) return;
  await createWhole(join(folder, `${read.value.id}.json`), JSON.stringify(read.value));
}

/** A trigger that was imported before may be in any state. */
async function isKnown(folder: string, id: string): Promise<boolean> {
  for (const state of [
    STATE_FOLDERS.done,
    STATE_FOLDERS.failed,
    STATE_FOLDERS.deduped,
    STATE_FOLDERS.dropped,
  ]) {
    if (
      await access(join(folder, state, `${id}.json`)).then(
        () => true,
        () => false,
      )
    )
      return true;
  }
  const moving = await readdir(join(folder, STATE_FOLDERS.processing)).catch(() => []);
  const waiting = await readdir(folder).catch(() => []);
  return [...moving, ...waiting].some((name) => name.startsWith(`${id}.`) && name.endsWith(".json"));
}

async function setInvalid(folder: string, name: string, text: string, reason: string): Promise<void> {
  const place = join(folder, STATE_FOLDERS.invalid);
  await writeWhole(
    join(place, `${name}.reason.json`),
    JSON.stringify({ reason, attempts: 0, at: new Date().toISOString() }),
  );
  await writeWhole(join(place, `${name}.json`), text);
}

function parsed(text: string): z.infer<typeof Legacy> | undefined {
  try {
    return Legacy.parse(parseKeepingDigits(text));
  } catch {
    return undefined;
  }
}
