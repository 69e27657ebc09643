/**
 * The only file that knows DBOS. Each segment is one workflow, `run:launch`, whose body does what the process already
 * does, or, after a crash, what remains. Steps are not journaled here: the conversation is the journal.
 *
 * DBOS is a singleton: the first organisation's engine launches it, the engines of others in this process only add a
 * body. It stores only ids; a workflow whose engine is not open here does nothing, and another process picks the run up from its rows.
 * The body leaves DBOS's context at once, or a run started from inside another would be recorded as that workflow's child.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { DBOS } from "@dbos-inc/dbos-sdk";
import { DBOSExecutor } from "@dbos-inc/dbos-sdk/internal/dbos-executor";
import type { Database } from "../../db/database.ts";
import { underLock } from "../../db/migrate.ts";

const APPLICATION_VERSION = "capstan-1"; // the default is a hash of the source, and every edit would strand running workflows
const RECOVERIES = 10_000; // a run without progress is given up by its own counter
const UNUSED_URL = "postgres://embedded@127.0.0.1:1/embedded"; // DBOS needs one besides the pool it is given

export type SegmentBody = (runId: string, launch: number) => Promise<void>;

export interface DurableWorkflow {
  /** Records that the segment runs; recording it twice has no effect. */
  start(runId: string, launch: number): Promise<void>;
  /** Takes over the workflows of these processes. */
  recover(executorIds: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

const FIRST = ""; // replaces an organisation's id
const bodies = new Map<string, SegmentBody>();
const outside = AsyncLocalStorage.snapshot();
const segment = DBOS.registerWorkflow(
  async (runId: string, launch: number, organisation?: string): Promise<void> => {
    await outside(() => bodies.get(organisation ?? FIRST)?.(runId, launch));
  },
  { name: "segment", maxRecoveryAttempts: RECOVERIES },
);

export async function startDurableWorkflow(parts: {
  readonly database: Database;
  readonly executorId: string;
  readonly run: SegmentBody;
  readonly onError: (error: unknown, what: string) => void;
}): Promise<DurableWorkflow> {
  const { database, executorId, run, onError } = parts;
  const organisation = database.organisation?.id ?? FIRST;
  if (bodies.has(organisation)) throw new Error("one engine per process: close the other one first");
  if (organisation !== FIRST) return joinEngine(organisation, run);
  bodies.set(FIRST, run);
  const embedded = database.kind === "pglite";
  DBOS.setConfig({
    name: "capstan",
    systemDatabaseUrl: UNUSED_URL,
    systemDatabasePool: database.systemPool,
    useListenNotify: false, // for messages between workflows, which we do not send; its self-test takes 100 ms of a start
    applicationVersion: APPLICATION_VERSION,
    executorID: executorId,
    logger: quietLogger(onError),
  });
  try {
    // Several processes that start at once would deadlock in DBOS's own migrations.
    await (embedded ? DBOS.launch() : underLock(database.sessionPool, () => DBOS.launch()));
  } catch (error) {
    await DBOS.shutdown().catch(() => {}); // undoes a partial launch, which would make the next one fail
    bodies.delete(FIRST);
    throw (error as { error?: Error }).error ?? error; // the driver's error inside tells whether it is an outage
  }
  return {
    async start(runId, launch) {
      await outside(() => DBOS.startWorkflow(segment, { workflowID: `${runId}:${launch}` })(runId, launch));
    },
    recover,
    async close() {
      await DBOS.shutdown();
      bodies.delete(FIRST);
    },
  };
}

function joinEngine(organisation: string, run: SegmentBody): DurableWorkflow {
  bodies.set(organisation, run);
  return {
    async start(runId, launch) {
      const workflowID = `${organisation}:${runId}:${launch}`;
      await outside(() => DBOS.startWorkflow(segment, { workflowID })(runId, launch, organisation));
    },
    recover,
    async close() {
      bodies.delete(organisation);
    },
  };
}

async function recover(executorIds: readonly string[]): Promise<void> {
  await DBOSExecutor.globalInstance?.recoverPendingWorkflows([...executorIds]);
}

/** Its warnings are about normal events here, such as a workflow that another process took over. */
function quietLogger(onError: (error: unknown, what: string) => void) {
  const nothing = (): void => {};
  return {
    debug: nothing,
    info: nothing,
    warn: nothing,
    error: (entry: unknown) => onError(entry, "the workflow engine"),
  };
}
