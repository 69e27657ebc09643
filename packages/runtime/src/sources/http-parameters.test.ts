import { describe, expect, test } from "vitest";
import {
  type HttpParameter,
  headerText,
  type ParameterStyle,
  pathText,
  queryPairs,
} from "./http-parameters.ts";

const list = ["a", "b c"];
const object = { R: 100, G: "2/3" };

describe("parameter serialization, by OpenAPI's table of styles", () => {
  test.each([
    ["simple", false, 5, "5"],
    ["simple", false, "a/b?c", "a%2Fb%3Fc"],
    ["simple", false, list, "a,b%20c"],
    ["simple", false, object, "R,100,G,2%2F3"],
    ["simple", true, object, "R=100,G=2%2F3"],
    ["label", false, 5, ".5"],
    ["label", false, list, ".a,b%20c"],
    ["label", true, list, ".a.b%20c"],
    ["label", true, object, ".R=100.G=2%2F3"],
    ["matrix", false, 5, ";p=5"],
    ["matrix", false, list, ";p=a,b%20c"],
    ["matrix", true, list, ";p=a;p=b%20c"],
    ["matrix", false, object, ";p=R,100,G,2%2F3"],
    ["matrix", true, object, ";R=100;G=2%2F3"],
  ] as const)("in a path, %s, explode %j: %j is %s", (style, explode, value, text) => {
    expect(pathText(parameter("path", style, explode), value)).toBe(text);
  });

  test.each([
    ["form", true, 5, "p=5"],
    ["form", true, true, "p=true"],
    ["form", true, list, "p=a&p=b c"],
    ["form", false, list, "p=a,b c"],
    ["form", true, object, "R=100&G=2/3"],
    ["form", false, object, "p=R,100,G,2/3"],
    ["spaceDelimited", false, list, "p=a b c"],
    ["pipeDelimited", false, list, "p=a|b c"],
    ["deepObject", true, object, "p[R]=100&p[G]=2/3"],
    ["deepObject", true, { a: { b: [1] } }, "p[a][b][0]=1"],
  ] as const)("in a query, %s, explode %j: %j is %s", (style, explode, value, text) => {
    const pairs = queryPairs(parameter("query", style, explode), value);
    expect(pairs.map((pair) => pair.join("=")).join("&")).toBe(text);
  });

  test.each([
    [false, 5, "5"],
    [false, list, "a,b c"],
    [true, object, "R=100,G=2/3"],
  ])("in a header, explode %j: %j is %s", (explode, value, text) => {
    expect(headerText(parameter("header", "simple", explode), value)).toBe(text);
  });

  test("a parameter declared as JSON is JSON everywhere", () => {
    const asJson = { ...parameter("query", "form", true), asJson: true };
    expect(queryPairs(asJson, object)).toEqual([["p", '{"R":100,"G":"2/3"}']]);
    expect(headerText(asJson, list)).toBe('["a","b c"]');
    expect(pathText(asJson, list)).toBe("%5B%22a%22%2C%22b%20c%22%5D");
  });
});

function parameter(place: HttpParameter["in"], style: ParameterStyle, explode: boolean): HttpParameter {
  return { argument: "p", name: "p", in: place, style, explode };
}
