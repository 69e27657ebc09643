/**
 * What a replay could not give back although nothing asked for another: versions of capabilities that are no longer kept,
 * and content that was replaced under the same version. Silence would make a difference look like the effect of the change.
 */
import type { RuntimeAgent } from "@capstan/core";
import { isSameJson, type NotAsRecorded } from "@capstan/core/internal";
import type pg from "pg";
import type { RecordedRun, StoredMessage } from "./read-recording.ts";
import type { ReplayChange } from "./replay-change.ts";

export interface ReplayedSetup {
  readonly recording: RecordedRun;
  readonly change: ReplayChange;
  readonly agent: RuntimeAgent;
  /** What the replay added to the conversation. */
  readonly messages: readonly StoredMessage[];
}

/** Nothing with another revision: it is meant to have what it would use now. */
export async function notAsRecorded(
  pool: Pick<pg.Pool, "query">,
  setup: ReplayedSetup,
): Promise<NotAsRecorded[]> {
  const { recording, change } = setup;
  if (change.revision !== undefined) return [];
  if (recording.revision === null)
    return [unknown("The revision that the run had is not known; the live one was used.")];
  if (recording.versions === null)
    return setup.agent.capabilities.length === 0
      ? []
      : [unknown("The versions that the run had are not known; the current ones were used.")];
  const versions = otherVersions(recording.versions, setup);
  return [...versions, ...(await otherContent(pool, setup, new Set(versions.map(nameOf))))];
}

const unknown = (why: string): NotAsRecorded => ({ capability: null, recorded: null, used: null, why });
const nameOf = ({ capability }: NotAsRecorded): string => capability ?? "";
const chosenIn = ({ capabilities = [] }: ReplayChange) => new Set(capabilities.map(({ id }) => id));

function otherVersions(
  recorded: Readonly<Record<string, string>>,
  { change, agent }: ReplayedSetup,
): NotAsRecorded[] {
  const chosen = chosenIn(change);
  const used = new Map(agent.capabilities.map(({ id, version }) => [id, version]));
  return Object.entries(recorded).flatMap(([capability, was]) => {
    const is = used.get(capability);
    if (is === was || chosen.has(capability)) return [];
    const why =
      is === undefined
        ? "The run had it; the replay did not."
        : `Version ${was} is no longer kept; ${is} was used.`;
    return [{ capability, recorded: was, used: is ?? null, why }];
  });
}

/** Only of capabilities whose version is as recorded and was not chosen. */
async function otherContent(
  pool: Pick<pg.Pool, "query">,
  { recording, change, agent, messages }: ReplayedSetup,
  told: ReadonlySet<string>,
): Promise<NotAsRecorded[]> {
  const [was, is] = await Promise.all([
    readPrompt(pool, promptOf(recording.messages)),
    readPrompt(pool, promptOf(messages)),
  ]);
  if (!was || !is || was === is) return [];
  const explained = new Set([...chosenIn(change), ...told]);
  const capabilityOf = new Map(agent.tools.map(({ name, capabilityId }) => [name, capabilityId]));
  const other = Map.groupBy(otherTools(was, is), (name) => capabilityOf.get(name));
  const found = [...other].flatMap(([capability, names]) =>
    (capability === undefined ? explained.size > 0 : explained.has(capability))
      ? []
      : [otherToolsOf(capability, names, recording)],
  );
  const isExplained = explained.size > 0 || found.length > 0 || change.systemPrompt !== undefined;
  if (was.system === is.system || isExplained) return found;
  return [unknown("The instructions of the agent's capabilities are other ones now.")];
}

function otherToolsOf(
  capability: string | undefined,
  names: readonly string[],
  { versions }: RecordedRun,
): NotAsRecorded {
  if (capability === undefined)
    return unknown(`These tools of the run are not offered now: ${names.join(", ")}.`);
  const version = versions?.[capability] ?? null;
  const why = `The model gets other descriptions or arguments of its tools now: ${names.join(", ")}.`;
  return { capability, recorded: version, used: version, why };
}

interface Prompt {
  readonly system: string;
  readonly tools: readonly { readonly name: string }[];
}

/** Names of tools that only one of them has, or that are described differently. */
function otherTools(was: Prompt, is: Prompt): string[] {
  const before = new Map(was.tools.map((tool) => [tool.name, tool]));
  const after = new Map(is.tools.map((tool) => [tool.name, tool]));
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => !isSameJson(before.get(name), after.get(name)));
}

const promptOf = (messages: readonly StoredMessage[]): string | undefined => {
  const id = messages.find(({ role }) => role === "assistant")?.usage?.promptId;
  return typeof id === "string" ? id : undefined;
};

const MOST_KEPT = 50; // hundreds of replays share a few prompts, which never change: their id is their hash
const kept = new WeakMap<object, Map<string, Promise<Prompt | undefined>>>();

function readPrompt(pool: Pick<pg.Pool, "query">, id: string | undefined): Promise<Prompt | undefined> {
  if (id === undefined) return Promise.resolve(undefined);
  const known = kept.get(pool) ?? new Map<string, Promise<Prompt | undefined>>();
  kept.set(pool, known);
  const before = known.get(id);
  if (before) return before;
  const read = pool
    .query<Prompt>("select system, tools from prompts where id = $1", [id])
    .then(({ rows }) => rows[0]);
  read.catch(() => known.delete(id));
  const oldest = known.keys().next().value;
  if (known.size >= MOST_KEPT && oldest !== undefined) known.delete(oldest);
  known.set(id, read);
  return read;
}
