/** Triggers for tests, written atomically as the specification requires: a temporary file, then renamed. */
import { randomUUID } from "node:crypto";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const testTrigger = (change: object = {}) => ({
  id: randomUUID() as string,
  user: "user@example.com",
  type: "draft_ready",
  created_at: "2026-01-01T00:00:00Z",
  ...change,
});

export function writeTrigger(inbox: string, change: object = {}, name?: string): string {
  const trigger = testTrigger(change);
  mkdirSync(inbox, { recursive: true });
  const path = join(inbox, `${name ?? trigger.id}.json`);
  writeFileSync(`${path}.tmp`, JSON.stringify(trigger));
  renameSync(`${path}.tmp`, path);
  return trigger.id;
}
