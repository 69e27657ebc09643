/** Classes that parameters of public MCP servers have: camel case, ids by their noun, routes between places, many optional numbers. */
import { describe, expect, test } from "vitest";
import { mapPayload } from "./payload.ts";

const NOW = new Date("2026-03-02T09:00:00Z");
const string = (description = "") => ({ type: "string", description });
const number = { type: "number" };
const mapped = (task: string, properties: Record<string, unknown>, required = Object.keys(properties)) =>
  mapPayload(task, { type: "object", properties, required }, { now: NOW }).payload;

describe("arguments for schemas as public servers publish them", () => {
  test.each([
    ["show the comments of card 5f1c2ab9", { cardId: string() }, { cardId: "5f1c2ab9" }],
    ["Zeig mir die Karte 5f1c2ab9", { cardId: string() }, { cardId: "5f1c2ab9" }],
    [
      "copy the record rec77 of table tblOrders in base appK3",
      { baseId: string(), tableId: string(), recordId: string() },
      { baseId: "appK3", tableId: "tblOrders", recordId: "rec77" },
    ],
    [
      "fork the project 4711",
      { project_id: string("Project ID or URL-encoded path") },
      { project_id: "4711" },
    ],
    ["restore backup bk-2026-02-11", { backup_id: string() }, { backup_id: "bk-2026-02-11" }],
    [
      "how far is it from Leeds to York",
      { origin: string(), destination: string() },
      { origin: "Leeds", destination: "York" },
    ],
    [
      "von Bonn nach Köln mit dem Auto",
      { origin: string(), destination: string() },
      { origin: "Bonn", destination: "Köln" },
    ],
    [
      "where is 12 Harbour Road, Dover located? the coordinates of 12 Harbour Road, Dover",
      { address: string() },
      { address: "12 Harbour Road, Dover" },
    ],
    ["weather in Denver, Colorado", { city: string() }, { city: "Denver" }],
    [
      "from May 3 to May 6",
      { checkin: string("Check-in date (YYYY-MM-DD)"), checkout: string("Check-out date (YYYY-MM-DD)") },
      { checkin: "2026-05-03", checkout: "2026-05-06" },
    ],
    ["find records that contain Sundberg", { searchTerm: string() }, { searchTerm: "Sundberg" }],
    ["make a code of the text Table 12", { data: string() }, { data: "Table 12" }],
    [
      "the greatest common divisor of 12 and 15",
      {
        num1: { ...number, description: "The first number." },
        num2: { ...number, description: "The second number." },
      },
      { num1: 12, num2: 15 },
    ],
    ["log it for last Friday", { date: string() }, { date: "2026-02-27" }],
    ["trag es für letzten Freitag ein", { date: string() }, { date: "2026-02-27" }],
    ["mails since January 15", { since: string() }, { since: "2026-01-15" }],
    ["remind me on January 15", { date: string() }, { date: "2027-01-15" }],
    [
      "log 6 hours on Borealis",
      { project: string("Name of the project."), hours: number },
      { project: "Borealis", hours: 6 },
    ],
  ])("%s", (task, properties, expected) => {
    expect(mapped(task, properties)).toEqual(expected);
  });

  test("among many optional numbers each takes the one with its sign, and none takes another's", () => {
    const rooms = { adults: number, children: number, infants: number, minPrice: number, maxPrice: number };
    expect(mapped("2 adults and 1 child, at most 120 a night", rooms, [])).toEqual({
      adults: 2,
      children: 1,
      maxPrice: 120,
    });
    expect(mapped("a flat on floor 7", rooms, [])).toEqual({});
  });

  test("an id behind the noun of one parameter is no other's: that one is missing", () => {
    const schema = {
      type: "object",
      properties: { calendarId: string(), eventId: string() },
      required: ["calendarId", "eventId"],
    };
    const { payload, missing } = mapPayload("delete the event ev_93kd", schema);
    expect({ payload, missing }).toEqual({ payload: { eventId: "ev_93kd" }, missing: ["calendarId"] });
  });

  test("the sentence is not the optional description of what has a title", () => {
    expect(
      mapped('open an issue "Blank page" in project 4711', { title: string(), description: string() }, [
        "title",
      ]),
    ).toEqual({ title: "Blank page" });
  });
});
