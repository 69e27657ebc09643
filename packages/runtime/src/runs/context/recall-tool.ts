/**
 * Reads messages that a summary stands for, by position or by words. Offered only where there is a summary. It only
 * reads what was in this conversation before, so it adds no label: the session already has them.
 */
import { defineTool, fail, ok, type RuntimeTool } from "@capstan/core";
import { type ConversationMessage, textOf, toolCallsOf } from "@capstan/core/internal";
import type pg from "pg";
import { z } from "zod";
import { RECALL_TOOL, type SessionSummary } from "../summary/session-summary.ts";
import { CONVERSATION, runtimeTool } from "./engine-tools.ts";

const MOST_FOUND = 10;
const MOST_READ = 50;
const MOST_CHARS = 30_000; // of all together: a recall must not fill the window that was just emptied
const MOST_WORDS = 12;

const COLUMNS = "position, role, content, created_at";
const READ = `select ${COLUMNS} from messages where session_id = $1 and position between $2 and least($3, $4::int)
  order by position limit ${MOST_READ}`;
/** Ranked by how many of the words a message has. One session's messages, by its primary key. */
const FIND = `select ${COLUMNS} from (
    select ${COLUMNS}, (select count(*) from unnest($3::text[]) word
      where position(word in lower(m.content::text)) > 0) as hits
    from messages m where m.session_id = $1 and m.position <= $2) found
  where hits > 0 order by hits desc, position desc limit ${MOST_FOUND}`;

type Row = ConversationMessage & { readonly position: number; readonly created_at: Date };

export function recallTool(
  pool: Pick<pg.Pool, "query">,
  sessionId: string,
  summary: SessionSummary,
): RuntimeTool {
  const last = summary.toPosition;
  const tool = defineTool({
    name: RECALL_TOOL,
    description:
      "Read earlier messages of this conversation that a summary stands for, exactly as they were: by their numbers, or by words they contain.",
    input: z
      .strictObject({
        from: z.int().min(0).optional().describe("Number of the first message to read."),
        to: z.int().min(0).optional().describe("Number of the last one; the same as the first when absent."),
        query: z
          .string()
          .trim()
          .min(1)
          .max(500)
          .optional()
          .describe("Words to look for, instead of numbers."),
      })
      .refine(
        ({ from, query }) => (from === undefined) !== (query === undefined),
        "give either from or query",
      ),
    risk: "read",
    writes: [],
    reads: [],
    idempotent: true,
    async run({ from, to, query }) {
      const { rows } =
        query === undefined
          ? await pool.query<Row>(READ, [sessionId, from, to ?? from, last])
          : await pool.query<Row>(FIND, [sessionId, last, wordsOf(query)]);
      if (rows.length === 0) return fail("not_found", { what: "message", id: query ?? String(from) });
      return ok(
        boundedTo(
          MOST_CHARS,
          rows.toSorted((a, b) => a.position - b.position),
        ),
      );
    },
  });
  return runtimeTool(tool, CONVERSATION);
}

const wordsOf = (query: string): string[] =>
  [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_.@/-]+/gu) ?? [])].slice(0, MOST_WORDS);

interface Recalled {
  readonly number: number;
  readonly role: string;
  readonly at: string;
  readonly text: string;
  readonly calls?: readonly { readonly tool: string; readonly input: unknown }[];
}

function boundedTo(most: number, rows: readonly Row[]): { messages: Recalled[]; more?: string } {
  let left = most;
  const messages: Recalled[] = [];
  for (const row of rows) {
    const text = textOf(row).slice(0, left);
    const calls = toolCallsOf(row).map(({ toolName, input }) => ({ tool: toolName, input }));
    left -= text.length + JSON.stringify(calls).length;
    messages.push({
      number: row.position,
      role: row.role,
      at: new Date(row.created_at).toISOString(),
      text,
      ...(calls.length > 0 && { calls }),
    });
    if (left <= 0) break;
  }
  const isCut = left <= 0 || messages.length < rows.length;
  return { messages, ...(isCut && { more: `Cut at ${most} characters: read fewer messages at a time.` }) };
}
