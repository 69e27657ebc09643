/** Probe reports as JSON files, one per agent, in the caller's folder. An unreadable file is ignored. */
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { ProbeReport } from "./probe-agent.ts";

const report = z.object({
  agent: z.string().regex(/^[a-z][a-z0-9-]*$/),
  version: z.string(),
  date: z.iso.datetime(),
  observed: z.record(z.string(), z.boolean()),
  differences: z.array(z.object({ field: z.string(), declared: z.boolean(), observed: z.boolean() })),
  inconclusive: z.array(z.object({ scenario: z.string(), why: z.string() })),
  features: z
    .array(
      z.object({
        transport: z.string(),
        feature: z.string(),
        outcome: z.enum(["works", "fails", "inconclusive", "not offered"]),
        why: z.string().optional(),
      }),
    )
    .default([]), // reports from before features were tested
});

export async function saveProbe(folder: string, probe: ProbeReport): Promise<void> {
  const file = join(folder, `${report.shape.agent.parse(probe.agent)}.json`);
  await mkdir(folder, { recursive: true });
  await writeFile(`${file}.part`, JSON.stringify(probe, null, 2));
  await rename(`${file}.part`, file); // a reader sees the old report or the new one, never half of one
}

export async function loadProbes(folder: string): Promise<ProbeReport[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.filter((name) => name.endsWith(".json")).map((name) => loadProbe(join(folder, name))),
  );
  return found.filter((probe) => probe !== null);
}

async function loadProbe(file: string): Promise<ProbeReport | null> {
  const text = await readFile(file, "utf8").catch(() => "");
  try {
    return report.parse(JSON.parse(text)) as ProbeReport;
  } catch {
    return null;
  }
}
