/** Runs a tool within its timeout: it is signalled to stop, and abandoned if it does not. An exception becomes a failure. */
import { fail, type Result, type RuntimeTool } from "@capstan/core";

export function runWithin<T>(
  { name, tool: { timeoutMs } }: RuntimeTool,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result<T>>,
): Promise<Result<T>> {
  if (outer.aborted) return Promise.resolve(fail("cancelled", { what: `The call of "${name}"` }));
  const controller = new AbortController();
  return new Promise((resolve) => {
    const finish = (result: Result<T>) => {
      clearTimeout(timer);
      outer.removeEventListener("abort", cancel);
      resolve(result);
    };
    const stop = (result: Result<T>) => {
      finish(result);
      controller.abort();
    };
    const cancel = () => stop(fail("cancelled", { what: `The call of "${name}"` }));
    const timer = setTimeout(() => stop(fail("tool_timeout", { tool: name, timeoutMs })), timeoutMs);
    outer.addEventListener("abort", cancel, { once: true });
    start(work, controller.signal).then(finish, (error) =>
      finish(
        fail("tool_crashed", { tool: name, message: error instanceof Error ? error.message : String(error) }),
      ),
    );
  });
}

/** A tool that throws before its first await must not throw through the gate. */
async function start<T>(
  work: (signal: AbortSignal) => Promise<Result<T>>,
  signal: AbortSignal,
): Promise<Result<T>> {
  return work(signal);
}
