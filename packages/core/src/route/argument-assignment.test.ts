/** Values that only the other parameters tell apart: several numbers, two names, the one thing that is left. */
import { describe, expect, test } from "vitest";
import { mapPayload } from "./payload.ts";

const number = (description = "") => ({ type: "number", description });
const text = (description = "") => ({ type: "string", description });
const mapped = (task: string, properties: Record<string, object>, about?: string) =>
  mapPayload(
    task,
    { type: "object", properties, required: Object.keys(properties) },
    { now: new Date("2026-11-19T12:00:00Z"), ...(about !== undefined && { about }) },
  );

describe("several numbers go to several parameters", () => {
  test.each([
    [
      "an initial investment of $2000 and a final value of $3000 in 4 years",
      { final_value: number(), initial_value: number(), years: number() },
      { final_value: 3000, initial_value: 2000, years: 4 },
    ],
    [
      "the initial velocity of 10 and an acceleration of 9.8 within 5 seconds",
      {
        initial_velocity: number("In m/s."),
        time: number("Time in seconds."),
        acceleration: number("In m/s^2."),
      },
      { initial_velocity: 10, time: 5, acceleration: 9.8 },
    ],
    ["a base and height of 6cm and 10cm", { base: number(), height: number() }, { base: 6, height: 10 }],
    ["2 adults and 1 child", { children: number(), adults: number() }, { children: 1, adults: 2 }],
    [
      "from an initial temperature of 300K to a final temperature of 400K",
      { final_temp: number("Kelvin"), initial_temp: number("Kelvin") },
      { final_temp: 400, initial_temp: 300 },
    ],
  ])("%s", (task, properties, expected) => {
    expect(mapped(task, properties).payload).toEqual(expected);
  });

  test("a rate in percent is a share, which is a guess where nothing says so", () => {
    const { payload, guessed } = mapped("at an interest rate of 5 %", { rate: number("The annual rate.") });
    expect({ payload, guessed }).toEqual({ payload: { rate: 0.05 }, guessed: ["rate"] });
    expect(mapped("at an interest rate of 5 %", { rate: number("The rate in percent.") }).payload).toEqual({
      rate: 5,
    });
  });
});

describe("two things go to a pair of parameters", () => {
  test.each([
    [
      "how far is it between Boston and New York",
      { start_city: text(), end_city: text() },
      ["Boston", "New York"],
    ],
    ["compatibility of Aries with Gemini", { sign1: text(), sign2: text() }, ["Aries", "Gemini"]],
    [
      "who won, Chicago Bulls against Utah Jazz",
      { first_team: text(), second_team: text() },
      ["Chicago Bulls", "Utah Jazz"],
    ],
    ["move it from backlog to review", { from_list: text(), to_list: text() }, ["backlog", "review"]],
    ["die Strecke von Köln nach Bad Ems", { origin: text(), destination: text() }, ["Köln", "Bad Ems"]],
  ])("%s", (task, properties, expected) => {
    expect(Object.values(mapped(task, properties).payload)).toEqual(expected);
  });

  test("three of a kind are no pair", () => {
    const three = { team1: text(), team2: text(), team3: text() };
    expect(mapped("Bulls against Jazz", three).missing).toEqual(["team1", "team2", "team3"]);
  });
});

describe("the one thing that is left of a task", () => {
  const about = "find_discoverer Find who discovered an element.";
  test.each([
    ["who discovered radium?", "radium"],
    ["find the discoverer of liquid helium please", "liquid helium"],
  ])("%s", (task, expected) => {
    const { payload, guessed } = mapped(task, { element: text("The element.") }, about);
    expect({ payload, guessed }).toEqual({ payload: { element: expected }, guessed: ["element"] });
  });

  test("is no identifier, and nothing where two are left", () => {
    expect(mapped("who discovered radium?", { element: text("Id of the element.") }, about).missing).toEqual([
      "element",
    ]);
    expect(
      mapped("who discovered radium, and does gold float?", { element: text("The element.") }, about).missing,
    ).toEqual(["element"]);
  });
});

describe("values in the form that a schema declares", () => {
  test.each([
    ["what happened on May 4, 2024", { date: text("Format: DD-MM-YYYY") }, "04-05-2024"],
    ["what happened on 2024/05/04", { date: text("In the format mm/dd/yyyy.") }, "05/04/2024"],
    ["what happened on 31.12.2024", { date: text("The day.") }, "2024-12-31"],
    ["the server 192.168.0.12", { host: text("Host name or address.") }, "192.168.0.12"],
    ["help with 'trading'", { topic: { type: "string", enum: ["billing", "trading"] } }, "trading"],
    ["use the euro", { code: text("The currency code.") }, "EUR"],
  ])("%s", (task, properties, expected) => {
    expect(Object.values(mapped(task, properties).payload)).toEqual([expected]);
  });
});

describe("values that another parameter must not take", () => {
  const optional = (task: string, properties: Record<string, object>) =>
    mapPayload(task, { type: "object", properties }).payload;

  test.each([
    ["a passphrase of 6 words", { length: number(), words: number() }, { words: 6 }],
    [
      "add the task « Read the contract » to story 655",
      { ownerIds: { type: "array", items: text() }, taskDescription: text() },
      { taskDescription: "Read the contract" },
    ],
    ["which epics are overdue?", { requester: text(), id: number(), team: text(), owner: text() }, {}],
    [
      "invite lena as a plain user",
      { type: { type: "number", enum: [0, 1, 2], description: "User type (0: Owner, 1: Admin, 2: User)" } },
      { type: 2 },
    ],
    [
      "upload hero.jpg with the alt text Our bakery at dawn",
      { file_path: text(), alt_text: text() },
      { file_path: "hero.jpg", alt_text: "Our bakery at dawn" },
    ],
  ])("%s", (task, properties, expected) => {
    expect(optional(task, properties)).toEqual(expected);
  });

  test("an identifier that is left fills a required list of them", () => {
    const [album, photo] = ["4f0f7a0e-9c1b-4c57-8a55-0d3b7b3f9a11", "b7c1e2aa-52d4-4c0c-9f3e-6a1d2c3b4e5f"];
    const ids = { type: "array", items: { type: "string", format: "uuid" } };
    expect(mapped(`put ${photo} into the album ${album}`, { album_id: text(), ids }).payload).toEqual({
      album_id: album,
      ids: [photo],
    });
  });

  test("another language's words are not the one thing that is left", () => {
    const schema = { type: "object", properties: { name: text("The tag.") }, required: ["name"] };
    const hints = { about: "create_tag Creates a tag.", inEnglish: () => "add tag autumn" };
    expect(mapPayload("añade la etiqueta otoño", schema, hints).missing).toEqual(["name"]);
  });
});
