/** Parses `--with` and the query: the change to try, and the recorded runs to try it on. */
import { readFile } from "node:fs/promises";
import type { Api, ReplayCreate, ReplayWith } from "@capstan/client";
import { fail, ok, type Result } from "@capstan/core";
import { REVISION_LABELS } from "@capstan/core/internal";
import { findAgent } from "../agents/find-agent.ts";
import { numberOf } from "../request-body.ts";
import { rulesIn } from "../rules/read-rules.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** `revision=3`, `model=a/b`, `capability=id@1.2.0`, `rules=file`, `prompt=file`; without a name where it is clear. */
export async function changeOf(given: readonly string[], usage: string): Promise<Result<ReplayWith>> {
  const change: ReplayWith = {};
  for (const text of given) {
    const [name, value] = named(text);
    const read = READERS[name];
    if (!read)
      return fail("command_invalid", {
        message: `--with ${text}: ${Object.keys(READERS).join(", ")} are known`,
        usage,
      });
    const added = await read(value, usage);
    if (!added.ok) return added;
    const { capabilities = [], ...rest } = added.value;
    Object.assign(change, rest);
    if (capabilities.length > 0) change.capabilities = [...(change.capabilities ?? []), ...capabilities];
  }
  return ok(change);
}

function named(text: string): [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  if (/^\d+$/.test(text) || isLabel(text)) return ["revision", text];
  if (/\.(ya?ml|json)$/.test(text)) return ["rules", text];
  if (/\.(md|txt)$/.test(text)) return ["prompt", text];
  return [text.includes("@") ? "capability" : "model", text];
}

type Label = (typeof REVISION_LABELS)[number];
const isLabel = (text: string): text is Label => (REVISION_LABELS as readonly string[]).includes(text);

type Reader = (value: string, usage: string) => Promise<Result<ReplayWith>>;

const READERS: Readonly<Record<string, Reader>> = {
  revision: async (value, usage) => {
    const revision = isLabel(value) ? value : Number(value);
    return revision === value || Number.isInteger(revision)
      ? ok({ revision })
      : fail("command_invalid", {
          message: `--with revision=${value}: a number or ${REVISION_LABELS.join(", ")} is expected`,
          usage,
        });
  },
  model: async (value) => ok({ model: value }),
  capability: async (value) => {
    const [id = "", version] = value.split("@");
    return ok({ capabilities: [version === undefined ? id : { id, version }] });
  },
  rules: async (value, usage) => {
    const read = await rulesIn(value, usage);
    return read.ok ? ok({ rules: read.value }) : read;
  },
  prompt: async (value, usage) => {
    const text = await readFile(value, "utf8").catch(() => undefined);
    return text === undefined
      ? fail("command_invalid", { message: `${value} cannot be read`, usage })
      : ok({ system_prompt: text });
  },
};

type Selected = Pick<ReplayCreate, "runs" | "sessions" | "query">;

/** Ids of runs or of sessions, or `agent=<name> feedback=down tool=refund limit=20`. */
export async function selectionOf(
  api: Api,
  words: readonly string[],
  usage: string,
): Promise<Result<Selected>> {
  if (words.every((word) => UUID.test(word))) return idsOf(api, words);
  const query: Record<string, unknown> = {};
  for (const word of words) {
    const at = word.indexOf("=");
    if (at < 1)
      return fail("command_invalid", {
        message: `"${word}" is neither an id nor part of a query such as tool=refund`,
        usage,
      });
    query[word.slice(0, at)] = numberOf(word.slice(at + 1));
  }
  const { agent, ...rest } = query;
  if (agent === undefined) return ok({ query: rest });
  const found = await findAgent(api, String(agent));
  return found.ok ? ok({ query: { ...rest, agent_id: found.value.id } }) : found;
}

/** A run, unless the first id is a session's. */
async function idsOf(api: Api, ids: readonly string[]): Promise<Result<Selected>> {
  const session = await api.sessions.get(ids[0] ?? "");
  return ok(session.ok ? { sessions: [...ids] } : { runs: [...ids] });
}
