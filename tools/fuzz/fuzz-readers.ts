/** Feeds almost valid input to the parsers of third-party files and output: they return, and never throw. */
import { readManifest } from "@capstan/core";
import { readTrigger, runFaults } from "@capstan/core/internal";
import fc from "fast-check";
import { recordingReader, TRANSCRIPTS } from "../../packages/coding-agents/src/fixtures/transcripts.ts";
import { replay } from "../../packages/coding-agents/src/replay/replay.ts";
import { almost, type Json } from "./mutate-json.ts";

const MANIFESTS: readonly Json[] = [
  {
    name: "demo",
    type: "cli",
    command: "aech-cli-demo",
    description: "Echoes",
    required_scopes: ["Demo.Use"],
    actions: [
      { name: "echo", description: "Says it again", parameters: ["--json", "--loud", "text"] },
      {
        name: "write",
        description: "Writes",
        parameters: [{ name: "path", type: "string", required: true }],
      },
    ],
    documentation: { outputs: {}, notes: ["n"] },
  },
  {
    name: "mail",
    type: "rt",
    command: "mail",
    description: "Mail",
    version: "1.2.3",
    service: { compose_file: "compose.yml", health: "/health" },
    actions: [{ name: "list", description: "Lists", parameters: [], required_scopes: ["Mail.Read"] }],
  },
];

const TRIGGERS: readonly Json[] = [
  {
    id: "3f2b8c1e-9a4d-4e6f-8b2a-1c3d5e7f9a0b",
    user: "ann@example.com",
    type: "draft_ready",
    created_at: "2025-01-15T10:30:00Z",
    payload: { a: [1, { b: null }] },
    dedupe_key: "k",
    routing: { channel: "teams", target: "x" },
  },
];

export function fuzzManifests(cases: number): void {
  fc.assert(
    fc.property(almost(MANIFESTS), (document) => {
      const read = [readManifest(document), readManifest(JSON.stringify(document))];
      return read.every((result) => result.ok || result.failure.nextStep !== "");
    }),
    { numRuns: cases },
  );
}

export function fuzzTriggers(cases: number): void {
  fc.assert(
    fc.property(almost(TRIGGERS), fc.nat(2000), (document, cutAt) => {
      const text = JSON.stringify(document);
      return [readTrigger(text), readTrigger(text.slice(0, cutAt))].every(
        (result) => result.ok || result.failure.nextStep !== "",
      );
    }),
    { numRuns: cases },
  );
}

/** A recording with a few of its lines changed: still a legal run, whatever it says. */
export function fuzzTranscripts(cases: number): void {
  const recordings = TRANSCRIPTS.map(({ agent, text }) => ({
    agent,
    lines: text.split("\n").filter((line) => line.trim() !== ""),
  }));
  const broken = fc.constantFrom(...recordings).chain(({ agent, lines }) =>
    fc
      .array(fc.tuple(fc.nat(lines.length - 1), almost(lines.slice(0, 200).map(parsed))), {
        minLength: 1,
        maxLength: 3,
      })
      .map((changes) => ({ agent, text: withLines(lines, changes) })),
  );
  fc.assert(
    fc.property(broken, ({ agent, text }) => runFaults(replay(recordingReader(agent), text)).length === 0),
    { numRuns: cases },
  );
}

function withLines(lines: readonly string[], changes: readonly (readonly [number, Json])[]): string {
  const kept = [...lines];
  for (const [at, line] of changes) kept[at] = typeof line === "string" ? line : JSON.stringify(line);
  return kept.join("\n");
}

function parsed(line: string): Json {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return line;
  }
}

/** What the process keeps, after a garbage collection: growth from half of the cases to all of them would be a leak. */
export function keptBytes(): number {
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage().heapUsed;
}
