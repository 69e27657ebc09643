import { describe, expect, test } from "vitest";
import { changeSecrets, hideSealed, keepSealed, SEALED_SHOWN } from "./config-secrets.ts";

const schema = {
  type: "object",
  properties: {
    key: { type: "string", writeOnly: true },
    tone: { type: "string" },
    login: { type: "object", properties: { user: {}, password: { format: "password" } } },
    tokens: { type: "array", items: { "x-secret": true } },
    either: { anyOf: [{ type: "null" }, { type: "string", writeOnly: true }] },
  },
  additionalProperties: { type: "object", properties: { pin: { writeOnly: true } } },
};
const config = {
  key: "k",
  tone: "warm",
  login: { user: "ann", password: "p" },
  tokens: ["a", "b"],
  either: "e",
  other: { pin: "1", shown: true },
};
const sealed = changeSecrets(schema, config, (_, path) => ({ $sealed: path }));

describe("secrets in a config", () => {
  test("are found wherever the schema marks them, and nothing else is", () => {
    expect(sealed).toEqual({
      key: { $sealed: "key" },
      tone: "warm",
      login: { user: "ann", password: { $sealed: "login.password" } },
      tokens: [{ $sealed: "tokens.0" }, { $sealed: "tokens.1" }],
      either: { $sealed: "either" },
      other: { pin: { $sealed: "other.pin" }, shown: true },
    });
  });

  test("are shown as a word, and the word sent back means what was there", () => {
    const shown = hideSealed(sealed);
    expect(JSON.stringify(shown)).not.toContain("$sealed");
    expect(keepSealed(sealed, shown)).toEqual(sealed);
    expect(keepSealed(sealed, { key: "new", tone: SEALED_SHOWN })).toEqual({
      key: "new",
      tone: SEALED_SHOWN,
    });
  });

  const secret = { type: "string", writeOnly: true };
  const login = { type: "object", properties: { token: secret } };
  test.each<[string, object]>([
    ["a reference", { properties: { login: { $ref: "#/$defs/Login" } }, $defs: { Login: login } }],
    [
      "a reference to a reference",
      {
        properties: { login: { $ref: "#/$defs/A" } },
        $defs: { A: { $ref: "#/$defs/B~1C" }, "B/C": login },
      },
    ],
    [
      "a branch with a reference",
      { allOf: [{ $ref: "#/$defs/All" }], $defs: { All: { properties: { login } } } },
    ],
    ["a pattern", { patternProperties: { "^lo": login } }],
    ["a condition", { if: {}, then: { properties: { login } } }],
    ["an own branch beside properties", { properties: { login: {} }, oneOf: [{ properties: { login } }] }],
    ["a reference to itself", { $ref: "#", properties: { login: { ...login, $ref: "#/properties/login" } } }],
  ])("are found behind %s", (_, marked) => {
    const found = changeSecrets(marked as never, { login: { token: "t", name: "n" } }, (__, path) => path);
    expect(found).toEqual({ login: { token: "login.token", name: "n" } });
  });

  test("are found among items with places of their own", () => {
    const marked = { properties: { login: { prefixItems: [{}, secret] } } };
    const found = changeSecrets(marked as never, { login: ["name", "t"] }, (_, path) => path);
    expect(found).toMatchObject({ login: [expect.anything(), "login.1"] });
  });
});
