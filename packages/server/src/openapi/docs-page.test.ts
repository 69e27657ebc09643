import { describe, expect, test } from "vitest";
import { exampleOf } from "./docs-example.ts";
import { docsPage } from "./docs-page.ts";
import { DOCS_SCRIPT } from "./docs-script.ts";

describe("an example", () => {
  test.each([
    [{ type: "string" }, ""],
    [{ type: "string", format: "email" }, "you@example.com"],
    [{ type: "integer", default: 50 }, 50],
    [{ enum: ["hour", "day"] }, "hour"],
    [{ anyOf: [{ type: "string" }, { type: "array" }] }, ""],
    [
      { type: "object", required: ["a"], properties: { a: { type: "number" }, b: { type: "string" } } },
      { a: 0 },
    ],
    [{ $ref: "#/components/schemas/Named" }, { name: "" }],
    [{ $ref: "#/components/schemas/Nowhere" }, null],
  ])("of %j is %j", (schema, expected) => {
    const Named = { type: "object", required: ["name"], properties: { name: { type: "string" } } };
    expect(exampleOf(schema, { Named })).toEqual(expected);
  });

  test("of a schema that names itself ends", () => {
    const Loop = { type: "object", required: ["next"], properties: { next: { $ref: "#/x/Loop" } } };
    expect(JSON.stringify(exampleOf(Loop, { Loop }))).toMatch(/null/);
  });
});

describe("the page", () => {
  const page = docsPage({
    info: { title: "Capstan", version: "1", description: "<b>bold</b>" },
    paths: {
      "/v1/things/{id}": {
        get: {
          operationId: "getThing",
          tags: ["things"],
          summary: 'One "thing"',
          parameters: [{ name: "id", in: "path", required: true }],
          responses: { 200: { description: "It." } },
        },
      },
    },
  });

  test("loads nothing from elsewhere and runs nothing inline", () => {
    expect(page).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(page).not.toMatch(/<script[^>]*>[^<]/);
    expect(page).not.toMatch(/ on\w+=/);
  });

  test("shows words of the document as words", () => {
    expect(page).toContain("&lt;b&gt;bold&lt;/b&gt;");
    expect(page).toContain("One &quot;thing&quot;");
  });

  test("has a form for each route, with its parameters", () => {
    expect(page).toMatch(/<form class="try" data-method="GET" data-path="\/v1\/things\/\{id\}"/);
    expect(page).toMatch(/name="id" data-in="path" required/);
  });

  test("its script is JavaScript, and shows answers as text alone", () => {
    expect(() => new Function(`return async () => {${DOCS_SCRIPT}}`)).not.toThrow();
    expect(DOCS_SCRIPT).not.toMatch(/innerHTML|eval/);
  });
});
