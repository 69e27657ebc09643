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

describe("what stands beside the noun of a parameter", () => {
  const typed = { type: "string", description: "Type of resource (e.g., pods, deployments, services)" };
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      "scale the deployment api in the namespace prod",
      { name: string("Name of the deployment"), namespace: string() },
      { name: "api", namespace: "prod" },
    ],
    [
      "describe the service ingress in namespace edge",
      { resourceType: typed, name: string("Name of the resource"), namespace: string() },
      { resourceType: "service", name: "ingress", namespace: "edge" },
    ],
    ["remove the helm release grafana", { name: string("Release name") }, { name: "grafana" }],
    [
      "set the status of issue ENG-12 to Done",
      { issueId: string(), status: string() },
      { issueId: "ENG-12", status: "Done" },
    ],
    [
      "create the branch fix/rain from develop",
      { branch: string("Name for the new branch"), from_branch: string() },
      { branch: "fix/rain", from_branch: "develop" },
    ],
    ["what key signature does it have", { key: string() }, {}],
    ["find the team meeting notes", { team: string() }, {}],
    [
      "the lyrics of the song 'Yesterday' by the artist 'Ann Lee'",
      { artist_name: string(), song_title: string() },
      { artist_name: "Ann Lee", song_title: "Yesterday" },
    ],
  ])("%s", (task, properties, expected) => {
    expect(mapped(task, properties)).toEqual(expected);
  });

  test.each<[string, Record<string, unknown>]>([
    ["fork acme/web-shop", { owner: "acme", repo: "web-shop" }],
    ["fork https://github.com/acme/web-shop please", { owner: "acme", repo: "web-shop" }],
    ["fork the file acme/web-shop", {}],
  ])("owner and repository: %s", (task, expected) => {
    expect(mapped(task, { owner: string(), repo: string() })).toEqual(expected);
  });

  test("a title ends where another parameter is named", () => {
    const fields = { title: string(), priority: number };
    expect(mapped("an issue titled Export fails for large files with priority 2", fields)).toEqual({
      title: "Export fails for large files",
      priority: 2,
    });
  });

  test("an optional text is not the rest of the sentence when something else is required", () => {
    expect(
      mapped("close issue 7 of acme/web", { number, body: string(), title: string() }, ["number"]),
    ).toEqual({ number: 7 });
  });

  test("an object of a list is filled from the same text, by the fields that it needs", () => {
    const items = {
      type: "array",
      items: { type: "object", properties: { content: string(), task_id: string() }, required: ["content"] },
    };
    expect(mapped("add a task: buy milk", { items })).toEqual({ items: [{ content: "Buy milk" }] });
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["the sum of [1, 2, 3]", { numbers: { type: "array", items: number } }, { numbers: [1, 2, 3] }],
    [
      "the mean of 12, 24 and 36",
      { data: { type: "array", items: { type: "integer" } } },
      { data: [12, 24, 36] },
    ],
    [
      "read https://a.example/x and https://b.example/y",
      { urls: { type: "array", items: string() } },
      { urls: ["https://a.example/x", "https://b.example/y"] },
    ],
    [
      "5000 dollars at 8% for 3 years",
      { rate: { ...number, description: "As a decimal." }, years: number, budget: number },
      { rate: 0.08, years: 3, budget: 5000 },
    ],
    ["the last 50 lines", { tail: { ...number, description: "Number of lines to show" } }, { tail: 50 }],
    [
      "my new age is 30 and my user id is 12345",
      { user_id: { type: "integer" }, age: { type: "integer" } },
      { user_id: 12345, age: 30 },
    ],
  ])("lists and numbers: %s", (task, properties, expected) => {
    expect(mapped(task, properties)).toEqual(expected);
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["scan all the namespaces", { allNamespaces: { type: "boolean" } }, { allNamespaces: true }],
    [
      "a repository with a readme",
      { autoInit: { type: "boolean", description: "Initialize with README.md" } },
      { autoInit: true },
    ],
    ["only messages that have images", { hasImages: { type: "boolean" } }, { hasImages: true }],
    ["without images", { include_images: { type: "boolean" } }, { include_images: false }],
    ["close the issue", { state: { enum: ["open", "closed"] } }, { state: "closed" }],
  ])("switches and choices: %s", (task, properties, expected) => {
    expect(mapped(task, properties, [])).toEqual(expected);
  });

  test("the capability's own name is no value", () => {
    const schema = { type: "object", properties: { query: string() }, required: ["query"] };
    const { payload } = mapPayload("search the web with brave for bicycle makers, 5 results", schema, {
      calledNames: ["brave"],
    });
    expect(payload).toEqual({ query: "bicycle makers, 5 results" });
  });
});

describe("what is searched for", () => {
  const fields = { query: string(), count: number, labels: { type: "array", items: string() } };
  test.each<[string, Record<string, unknown>]>([
    ["search for repositories about tide prediction", { query: "tide prediction" }],
    ["find a dentist in Leipzig , 3 results", { query: "dentist in Leipzig", count: 3 }],
    ["search issues about memory leaks with the label bug", { query: "memory leaks", labels: ["bug"] }],
  ])("%s", (task, expected) => {
    expect(mapped(task, fields, ["query"])).toEqual(expected);
  });
});
