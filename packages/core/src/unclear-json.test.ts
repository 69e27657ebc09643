import fc from "fast-check";
import { expect, test } from "vitest";
import { unclearKey } from "./unclear-json.ts";

test.each([
  ['{"dry":true,"dry":false}', '"dry" is given twice'],
  ['{"a":{"b":[{"c":1},{"c":1,"c":2}]}}', '"a.b.1.c" is given twice'],
  ['{"a":1, "\\u0061":2}', '"a" is given twice'],
  ['{"a":{"x":1},"b":2,"a":3}', '"a" is given twice'],
  ['{"__proto__":{}}', '"__proto__" is not allowed as a key'],
  ['{"a":[{"\\u005f_proto__":1}]}', '"a.0.__proto__" is not allowed as a key'],
  ['{"constructor":{"prototype":{}}}', '"constructor.prototype" is not allowed as a key'],
])("%s is refused: %s", (text, fault) => {
  expect(unclearKey(text)).toBe(fault);
});

test.each([
  '[{"a":1},{"a":2}]',
  '{"a":"a","b":{"a":1}}',
  '{"a":["b","b"],"b":"a"}',
  '{"prototype":1,"constructor":"x"}',
  '{"a":"{\\"b\\":1,\\"b\\":2}"}',
  "not json {",
  '{"unfinished',
])("%s is clear", (text) => {
  expect(unclearKey(text)).toBeUndefined();
});

/** Any JSON whose keys are no prototypes: fast-check likes to try those. */
const harmless = fc.jsonValue().filter((value) => !/__proto__|"prototype"/.test(JSON.stringify(value)));

test("what JSON.stringify wrote is clear, unless a key is a prototype", () => {
  fc.assert(fc.property(harmless, (value) => unclearKey(JSON.stringify(value)) === undefined));
});

test("a key that is given twice is found wherever it stands", () => {
  const anywhere = fc.tuple(fc.dictionary(fc.string(), harmless), fc.string({ minLength: 1 }), harmless);
  fc.assert(
    fc.property(anywhere, ([object, key, value]) => {
      fc.pre(key !== "__proto__" && !Object.hasOwn(object, key) && !Object.hasOwn(object, "__proto__"));
      const entries = [[key, value], ...Object.entries(object), [key, null]];
      const text = entries.map(([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)}`).join(",");
      return unclearKey(`{"in":[{${text}}]}`) === `"in.0.${key}" is given twice`;
    }),
  );
});
