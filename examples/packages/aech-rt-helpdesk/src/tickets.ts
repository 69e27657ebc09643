/** What the helpdesk does with tickets: search, read, note, and take in new ones from files that a connector writes. */
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { TicketDatabase } from "./database.ts";

export interface NewTicket {
  id: string;
  title: string;
  body: string;
  status?: string;
  customer?: string;
  created_at?: string;
}

const FIELDS = "id, title, status, customer, created_at";

/** Every word must occur; the best match comes first. */
export function searchTickets(database: TicketDatabase, words: string): Promise<Record<string, unknown>[]> {
  return database.query(
    `select ${FIELDS}, left(body, 300) as excerpt from tickets, plainto_tsquery('simple', $1) as wanted
     where words @@ wanted order by ts_rank(words, wanted) desc, created_at desc limit 50`,
    [words],
  );
}

export async function getTicket(
  database: TicketDatabase,
  id: string,
): Promise<Record<string, unknown> | undefined> {
  const [ticket] = await database.query(`select ${FIELDS}, body from tickets where id = $1`, [id]);
  if (!ticket) return undefined;
  const notes = await database.query(
    "select id::int, body, author, created_at from notes where ticket_id = $1 order by id",
    [id],
  );
  return { ...ticket, notes };
}

/** The same request key adds the note once, so that a call may be repeated. */
export async function addNote(
  database: TicketDatabase,
  note: { ticketId: string; body: string; author: string; requestKey: string | null },
): Promise<Record<string, unknown> | undefined> {
  const [ticket] = await database.query("select id from tickets where id = $1", [note.ticketId]);
  if (!ticket) return undefined;
  await database.query(
    "insert into notes (ticket_id, body, author, request_key) values ($1, $2, $3, $4) on conflict (request_key) do nothing",
    [note.ticketId, note.body, note.author, note.requestKey],
  );
  return getTicket(database, note.ticketId);
}

/** A connector (to ConnectWise, say) writes lists of tickets to DATA_DIR/incoming, as .tmp and renamed. */
export async function importTickets(database: TicketDatabase, dataDir: string): Promise<number> {
  const folder = join(dataDir, "incoming");
  await mkdir(folder, { recursive: true });
  let count = 0;
  for (const name of (await readdir(folder)).filter((each) => each.endsWith(".json")).sort()) {
    const path = join(folder, name);
    try {
      for (const ticket of JSON.parse(await readFile(path, "utf8")) as NewTicket[]) {
        await putTicket(database, ticket);
        count += 1;
      }
      await rm(path);
    } catch (error) {
      console.error(`${name} is no list of tickets: ${(error as Error).message}`);
      await rename(path, `${path}.invalid`);
    }
  }
  return count;
}

export async function putTicket(database: TicketDatabase, ticket: NewTicket): Promise<void> {
  await database.query(
    `insert into tickets (id, title, body, status, customer, created_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (id) do update set title = excluded.title, body = excluded.body, status = excluded.status, customer = excluded.customer`,
    [
      ticket.id,
      ticket.title,
      ticket.body,
      ticket.status ?? "open",
      ticket.customer ?? "",
      ticket.created_at ?? new Date().toISOString(),
    ],
  );
}
