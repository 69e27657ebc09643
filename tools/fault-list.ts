/** Injected faults, the guaranteed outcome, and the test that shows it. */

const STORE = "packages/server/src/faults/store-faults.long.test.ts";
const PROVIDER = "packages/server/src/faults/provider-faults.long.test.ts";
const RUNS = "packages/runtime/src/runs";

const START = "packages/server/src/start/waiting-for-database.long.test.ts";

export const FAULTS: readonly { fault: string; outcome: string; file: string; title: string }[] = [
  {
    fault: "the disk fills up",
    outcome:
      "requests that write are refused (507) before the store is damaged, reads continue, and it recovers with free space",
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
    outcome: "the server does not start, and names the way to recover",
    file: STORE,
    title: "whose log is noise",
  },
  {
    fault: "a second server on the same folder",
    outcome: "the second start is refused; the first keeps running; after kill -9 the folder is free",
    file: STORE,
    title: "used by another server",
  },
  {
    fault: "the clock jumps back by a day",
    outcome: "runs end, events stay in order, no key is blocked or stays valid too long",
    file: STORE,
    title: "a clock that jumps back by a day",
  },
  {
    fault: "a provider hangs, immediately or mid-stream",
    outcome: "the run ends at its time limit, and keeps the text so far",
    file: PROVIDER,
    title: '["hangs", "limit", "run_time_limit"]',
  },
  {
    fault: "a provider floods the server: tokens, an endless line, a huge error",
    outcome: "the run fails with the reason, memory does not grow",
    file: PROVIDER,
    title: "floods with tokens",
  },
  {
    fault: "a provider closes mid-JSON, or sends no JSON",
    outcome: "the request is retried, then the run fails with the reason",
    file: PROVIDER,
    title: "closes in the middle of JSON",
  },
  {
    fault: "a tool never returns, throws, or gets broken arguments",
    outcome: "the model gets the error, and the run continues",
    file: PROVIDER,
    title: "calls a tool that never returns",
  },
  {
    fault: "an MCP server dies during a call",
    outcome: "the call fails with the server's last output, the next call restarts it",
    file: PROVIDER,
    title: "an MCP server that dies during a call",
  },
  {
    fault: "a server starts while Postgres is down, or is disconnected during startup",
    outcome:
      "it waits (30 s, or as configured), reports what for, is alive but not ready; then serves, or exits with a next step",
    file: START,
    title: "waits, is alive but not ready",
  },
  {
    fault: "a process is killed before and after each of its writes",
    outcome: "the next process finishes its runs",
    file: `${RUNS}/processes/crash.slow.test.ts`,
    title: "before and after each write of a run",
  },
  {
    fault: "a process is killed around the write of a summary",
    outcome: "the conversation has it once, and no message is lost",
    file: `${RUNS}/compaction/summary-crash.slow.test.ts`,
    title: "a process killed with a summary",
  },
  {
    fault:
      "a process is killed while a run waits for an account, and another one while the person connects it",
    outcome: "the question stays open, and the run continues with the account on the next process",
    file: "packages/server/src/connections/connections-crash.slow.test.ts",
    title: "a run goes on although its process was killed before the consent",
  },
  {
    fault: "kill -9 between the steps of a login to an MCP server: asked, consented, stored",
    outcome: "another process continues with the next step; the run completes with the user's own account",
    file: "packages/server/src/connections/mcp-logins-crash.slow.test.ts",
    title: "every step of a login at an MCP server may be another process's, the one before killed",
  },
  {
    fault: "a process dies while refreshing a token and leaves its lease behind",
    outcome: "the others wait until its lease expires, then refresh",
    file: "packages/runtime/src/connections/refresh.live.test.ts",
    title: "a process that was killed while it refreshed",
  },
  {
    fault: "an account's provider is unavailable",
    outcome: "the call fails, and the account stays connected",
    file: "packages/runtime/src/connections/refresh.live.test.ts",
    title: "a provider that is away ends nothing",
  },
  {
    fault: "a process is frozen while another takes over",
    outcome: "it can write nothing once it resumes",
    file: "packages/server/src/start/several-processes.long.test.ts",
    title: "a frozen one loses its run",
  },
];
