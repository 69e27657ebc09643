/** A process and its descendants on Linux; elsewhere only the process itself. */
import { readFileSync } from "node:fs";

const MOST = 200; // a command with more children ends by its timeout

export function processTree(pid: number): number[] {
  const found = [pid];
  for (let at = 0; at < found.length && found.length < MOST; at++) found.push(...childrenOf(found[at] ?? 0));
  return found;
}

function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
