/**
 * The built-in rules: what may follow after untrusted content was read.
 *
 * A saved rule that names the same labels replaces one of these: see `createRuleSet`.
 */
import type { Rule } from "./rule.ts";

export const DEFAULT_RULES: readonly Rule[] = [
  {
    id: "d0000000-0000-4000-8000-000000000001",
    name: "Nothing private leaves after untrusted content",
    tools: ["writes:external"],
    when: [{ seen: "untrusted" }, { seen: "private" }],
    effect: "deny",
    words:
      "This conversation has read untrusted content and private data, so nothing may be sent out: the untrusted content may have asked for it.",
  },
  {
    id: "d0000000-0000-4000-8000-000000000002",
    name: "Ask before sending out after untrusted content",
    tools: ["writes:external"],
    when: [{ seen: "untrusted" }],
    effect: "ask",
    words: "This conversation has read untrusted content, which may have asked for this call.",
  },
  {
    id: "d0000000-0000-4000-8000-000000000003",
    name: "Ask before a change with a stored credential after untrusted content",
    tools: ["uses:secrets"],
    when: [{ seen: "untrusted" }],
    effect: "ask",
    words:
      "This conversation has read untrusted content, and the call makes a change with a stored credential.",
  },
  {
    id: "d0000000-0000-4000-8000-000000000004",
    name: "Ask before reading any address after private data and untrusted content",
    tools: ["reaches:any_address"],
    when: [{ seen: "untrusted" }, { seen: "private" }],
    effect: "ask",
    words:
      "This conversation has read private data and untrusted content, and the address could carry that data out.",
  },
];
