/**
 * The cost of a single run of Claude Code: the program reports the whole session's cost, and also stores it there.
 *
 * Without the stored cost of a resumed or forked session, its report says nothing about this run, and is not used.
 */
import { parseObject } from "../lines/json-line.ts";

export class ClaudeSessionCost {
  /** The session to continue; undefined for a new one. */
  readonly id: string | undefined;
  #before: number | undefined;

  constructor(id?: string | undefined) {
    this.id = id;
    this.#before = id === undefined ? 0 : undefined;
  }

  /** A line of the stored session. */
  takePast(line: string): void {
    if (!line.includes('"cost-state"')) return;
    const record = parseObject(line);
    if (record?.type === "cost-state" && typeof record.totalCostUSD === "number") {
      this.#before = record.totalCostUSD;
    }
  }

  /** Of this run, given the session's total. */
  ofRun(totalUsd: number | undefined): number | undefined {
    if (totalUsd === undefined || this.#before === undefined) return undefined;
    return Math.max(0, Number((totalUsd - this.#before).toFixed(10)));
  }
}
