import { describe, expect, test } from "vitest";
import { z } from "zod";
import { zodSchema } from "../schema.ts";
import { mapPayload } from "./payload.ts";

const text = z.string();
const now = new Date("2026-11-15T12:00:00Z"); // a Sunday
const number = z.object({ amount: z.number() });
const time = z.object({ time: text });
const date = z.object({ date: z.iso.date() });
const mail = z.object({ to: z.email(), subject: text, body: text });
const phone = z.object({ phone: text });

type Row = readonly [task: string, schema: z.ZodObject, expected: object];
const CLASSES: Readonly<Record<string, readonly Row[]>> = {
  "a decimal comma": [
    ["überweise 12,75 Euro", number, { amount: 12.75 }],
    ["transfiere 1.250,50 euros", number, { amount: 1250.5 }],
    ["vire 0,125 pour le café", number, { amount: 0.125 }],
    ["pay 1,250 to the baker", number, { amount: 1250 }],
    ["paga 1.500 para a escola", number, { amount: 1500 }],
  ],
  "a time of day": [
    ["call at 7:05", time, { time: "07:05" }],
    ["call at 4 pm", time, { time: "16:00" }],
    ["ruf um 8.15 Uhr an", time, { time: "08:15" }],
    ["appelle à 18h30", time, { time: "18:30" }],
    ["llama a las 5 y media de la tarde", time, { time: "17:30" }],
    ["ligue às 14h", time, { time: "14:00" }],
    ["move it to 11:20", z.object({ start: text.describe("Start, as HH:MM.") }), { start: "11:20" }],
  ],
  "a date in another language": [
    ["am 4. Dezember", date, { date: "2026-12-04" }],
    ["el 21 de enero de 2028", date, { date: "2028-01-21" }],
    ["le 1er août", date, { date: "2027-08-01" }],
    ["no dia 9 de fevereiro", date, { date: "2027-02-09" }],
    ["bis zum 30.11.2026", date, { date: "2026-11-30" }],
    ["mardi prochain", date, { date: "2026-11-17" }],
    ["übermorgen", date, { date: "2026-11-17" }],
  ],
  "labels without a colon": [
    [
      "mail tom@example.org with subject Lunch and body Noon works for me",
      mail,
      { to: "tom@example.org", subject: "Lunch", body: "Noon works for me" },
    ],
    [
      "Mail an tom@example.org mit Betreff Rechnung und Text Bitte prüfen",
      mail,
      { subject: "Rechnung", body: "Bitte prüfen" },
    ],
    [
      "correo a tom@example.org con asunto Cena y texto Nos vemos",
      mail,
      { subject: "Cena", body: "Nos vemos" },
    ],
  ],
  "a phone number": [
    ["call +49 30 901820", phone, { phone: "+49 30 901820" }],
    ["mit Telefon 0171 5550123", phone, { phone: "0171 5550123" }],
    ["teléfono 91 555 01 23", phone, { phone: "91 555 01 23" }],
  ],
  "a list for an optional parameter": [
    [
      "copy it without dist and *.tmp",
      z.object({ exclude: z.array(text).optional() }),
      { exclude: ["dist", "*.tmp"] },
    ],
    [
      "kopiere es ohne dist und cache",
      z.object({ exclude: z.array(text).optional() }),
      { exclude: ["dist", "cache"] },
    ],
  ],
  "a number with a unit": [
    ["play from second 45", z.object({ start_seconds: z.number() }), { start_seconds: 45 }],
    ["meet for 2 hours", z.object({ duration_minutes: z.int().default(60) }), { duration_minutes: 120 }],
    ["send 500 g", z.object({ weight_kg: z.number() }), { weight_kg: 0.5 }],
  ],
  "the number of the longer name, or of a thing of which several are possible": [
    [
      "list orders, 15 per page",
      z.object({
        page: z.int().optional(),
        per_page: z.union([z.int(), z.literal("all")]).optional(),
      }),
      { per_page: 15 },
    ],
    ["put Ann in group 7", z.object({ groups: z.array(z.int()).optional() }), { groups: [7] }],
    ["sum 3 and 4.5", z.object({ numbers: z.array(text).optional() }), { numbers: ["3", "4.5"] }],
  ],
  "a place with its region, and a place that is searched": [
    [
      "any floods in Salem, Oregon?",
      z.object({ city: text.describe('A place to look up, e.g. "Paris, France".') }),
      { city: "Salem, Oregon" },
    ],
    [
      "find the position of Tromsø",
      z.object({ query: text.describe("Place name to look up.") }),
      { query: "Tromsø" },
    ],
  ],
  "a file for the parameter that takes one, and a format for the one that names it": [
    [
      "colour lib/a.rb as svg into a.svg",
      z.object({
        l: text.optional().describe("The language. If not given, it is guessed from the filename."),
        infile: text.optional(),
        f: text.optional().describe("Specify the formatter to use."),
        o: text.optional().describe("Where to write the output."),
      }),
      { infile: "lib/a.rb", f: "svg", o: "a.svg" },
    ],
    ["scale 4096 to si", z.object({ to: text.optional() }), { to: "si" }],
  ],
  "a text, a file or a person": [
    ["encode https://example.net/x", z.object({ data: text }), { data: "https://example.net/x" }],
    ["save the text call Ann to /a.txt", z.object({ path: text, content: text }), { content: "call Ann" }],
    [
      "konvertiere a.docx und speichere es als b.pdf",
      z.object({
        input: text.describe("Path of the document."),
        output: text.optional().describe("Path of the result."),
      }),
      { input: "a.docx", output: "b.pdf" },
    ],
    [
      "envía el paquete a Marta Gil en Sevilla",
      z.object({ recipient_name: text, city: text }),
      { recipient_name: "Marta Gil", city: "Sevilla" },
    ],
  ],
};

describe.each(Object.entries(CLASSES))("%s is read from a task", (_, rows) => {
  test.each(rows)("%j", (task, schema, expected) => {
    expect(mapPayload(task, zodSchema(schema).jsonSchema, { now }).payload).toMatchObject(expected);
  });
});
