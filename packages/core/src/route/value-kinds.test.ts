import { describe, expect, test } from "vitest";
import { rank } from "./rank.ts";
import { createRouteIndex } from "./route-index.ts";
import { stem } from "./stem.ts";
import { valueKinds } from "./value-kinds.ts";

describe("kinds of value", () => {
  test.each([
    ["a table for two tomorrow", ["date", "dai"]],
    ["a car from March 5th", ["date", "dai"]],
    ["meet me on 2026-03-05 at 8 pm", ["date", "dai", "time", "hour", "datetim"]],
    ["write to ann@example.com", ["email", "mail"]],
    ["read https://example.com/a", ["url", "link", "uri"]],
    ["send $250 to Ben", ["amount", "price", "budget", "cost", "monei"]],
    ["open /etc/hosts/local", ["path", "file"]],
    ["and/or what may come", []],
    ["tell me a joke", []],
  ])("%j holds %j", (task, names) => {
    expect(valueKinds(task).names).toEqual(names);
  });

  test.each([
    ["the weather in Long Beach", ["location"]],
    ["a flight from Oslo in 2027", ["location", "year"]],
    ["Paris, France by train", ["location"]],
    ["in the end it is for me", []],
    ["a room for 2000", ["year"]],
  ])("%j also implies %j", (task, names) => {
    const { names: strict, rooms } = valueKinds(task);
    expect(strict).toEqual([]);
    expect(rooms.map(([first]) => first)).toEqual(names.map((name) => stem(name)));
  });

  test("favour the capability that takes all of them", () => {
    const index = createRouteIndex();
    const [name, description] = ["Get Weather", "The weather of a place."];
    index.add({ id: "a", name, description, params: ["city"] });
    index.add({ id: "b", name, description, params: ["city", "date"] });
    expect(rank("get the weather of a place in Canada on April 4th", index).matches[0]?.id).toBe("b");
  });

  test("favour the capability that takes such a value", () => {
    const index = createRouteIndex();
    const [name, description] = ["Book Table", "Book a table in a restaurant."];
    index.add({ id: "a", name, description, params: ["party_size"] });
    index.add({ id: "b", name, description, params: ["reservation_date"] });
    expect(rank("book a table for tomorrow", index).matches[0]?.id).toBe("b");
    expect(rank("book a table", index).matches[0]?.id).toBe("a");
  });
});
