/** What is broken on purpose, the outcome that is promised, and the test that shows it. */

const STORE = "packages/server/src/faults/store-faults.live.test.ts";
const PROVIDER = "packages/server/src/faults/provider-faults.live.test.ts";
const RUNS = "packages/runtime/src/runs";

const START = "packages/server/src/start/waiting-for-database.live.test.ts";

export const FAULTS: readonly { fault: string; outcome: string; file: string; title: string }[] = [
  {
    fault: "the disk fills up",
    outcome: "requests that write are refused (507) before the store is harmed, reads go on, room heals it",
    file: STORE,
    title: "that fills up",
  },
  {
    fault: "the data folder is read-only",
    outcome: "the server does not start, and says why",
    file: STORE,
    title: "that is read-only",
  },
  {
    fault: "the embedded store is damaged",
    outcome: "the server does not start on it, and names the way back",
    file: STORE,
    title: "whose log is noise",
  },
  {
    fault: "a second server on the same folder",
    outcome: "it is refused, the first does not notice; after kill -9 the folder is free",
    file: STORE,
    title: "used by another server",
  },
  {
    fault: "the clock jumps back by a day",
    outcome: "runs end, events stay in order, no key is locked out or lives on",
    file: STORE,
    title: "a clock that jumps back by a day",
  },
  {
    fault: "a provider hangs, at once or in the middle",
    outcome: "the run ends at its time limit, and keeps what was said",
    file: PROVIDER,
    title: '["hangs", "limit", "run_time_limit"]',
  },
  {
    fault: "a provider floods: tokens, a line without an end, its refusal",
    outcome: "the run fails with the reason, memory does not grow",
    file: PROVIDER,
    title: "floods with tokens",
  },
  {
    fault: "a provider closes in the middle of JSON, or sends none",
    outcome: "it is asked again, then the run fails with the reason",
    file: PROVIDER,
    title: "closes in the middle of JSON",
  },
  {
    fault: "a tool never returns, throws, or gets broken arguments",
    outcome: "the model is told, and the run goes on",
    file: PROVIDER,
    title: "calls a tool that never returns",
  },
  {
    fault: "an MCP server dies in a call",
    outcome: "the call fails with the server's last words, the next call starts it anew",
    file: PROVIDER,
    title: "an MCP server that dies during a call",
  },
  {
    fault: "a server starts while Postgres is away, or is cut off in the middle of its start",
    outcome:
      "it waits (30 s, or as set), says for what, lives and is not ready; then serves, or ends with a next step",
    file: START,
    title: "waits, is alive but not ready",
  },
  {
    fault: "a process is killed before and after each of its writes",
    outcome: "the next one finishes its runs",
    file: `${RUNS}/processes/crash.slow.test.ts`,
    title: "before and after each write of a run",
  },
  {
    fault: "a process is frozen while another takes over",
    outcome: "it writes nothing more when it wakes",
    file: "packages/server/src/start/several-processes.live.test.ts",
    title: "a frozen one loses its run",
  },
];
