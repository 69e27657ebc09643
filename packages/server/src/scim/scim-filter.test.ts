/** Filters as Entra and Okta send them, compared with another implementation (scimmy) on random resources. */
import fc from "fast-check";
import SCIMMY from "scimmy";
import { expect, test } from "vitest";
import { matches, parseFilter } from "./scim-filter.ts";

const ann = {
  id: "2819c223",
  userName: "ann@example.com",
  externalId: "00uAbC",
  active: true,
  name: { familyName: "Lee" },
  emails: [
    { type: "work", value: "ann@example.com", primary: true },
    { type: "home", value: "ann@home.example" },
  ],
  "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "Sales" },
  meta: { lastModified: "2026-05-13T04:42:34Z" },
};

test.each([
  ['userName eq "ANN@example.com"', true],
  ['USERNAME Eq "ann@example.com"', true],
  ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ann@example.com"', true],
  ['externalId eq "00uabc"', false],
  ['externalId eq "00uAbC"', true],
  ["active eq true", true],
  ['active eq "True"', true],
  ["not (active eq true)", false],
  ['emails[type eq "work" and value co "example.com"]', true],
  ['emails[type eq "home" and value co "example.com"]', false],
  ['emails eq "ann@home.example"', true],
  ['emails.value ew "home.example"', true],
  ['name.familyName sw "L"', true],
  ["title pr", false],
  ["userName pr and emails pr", true],
  ['userName eq "bob" or (active eq true and name.familyName eq "lee")', true],
  ['urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "sales"', true],
  ['meta.lastModified gt "2026-05-12T00:00:00Z"', true],
  ['userName ne "ann@example.com"', false],
  ['displayName eq "x\\" or userName pr or displayName eq \\"y"', false],
])("%s is %s", (text, expected) => {
  const filter = parseFilter(text);
  expect(filter).toBeDefined();
  expect(filter && matches(filter, ann)).toBe(expected);
});

test.each([
  "",
  "userName",
  "userName eq",
  "userName eq ann",
  'userName is "ann"',
  'userName eq "ann" and',
  'userName eq "ann" userName eq "bob"',
  '(userName eq "ann"',
  'emails[type eq "work"',
  '"ann" eq userName',
  'userName eq "ann',
  'userName eq "ann"; drop table users',
  `${"(".repeat(50)}userName pr${")".repeat(50)}`,
  `userName eq "${"a".repeat(5000)}"`,
])("%j is refused", (text) => expect(parseFilter(text)).toBeUndefined());

test("on random users it agrees with scimmy", () => {
  const text = fc.constantFrom("a", "ab", "abc", "b");
  const user = fc.record({
    userName: text,
    title: text,
    active: fc.boolean(),
    name: fc.record({ givenName: text }, { noNullPrototype: true }),
  });
  const comparison = fc
    .tuple(
      fc.constantFrom("userName", "title", "name.givenName"),
      fc.constantFrom("eq", "ne", "co", "sw", "ew"),
      text,
    )
    .map(([path, operator, value]) => `${path} ${operator} "${value}"`);
  const other = fc.boolean().map((active) => `active eq ${active}`);
  const one = fc.oneof(comparison, other);
  const joined = fc.tuple(one, fc.constantFrom("and", "or"), one).map((parts) => parts.join(" "));
  fc.assert(
    fc.property(fc.oneof(one, joined), fc.array(user, { maxLength: 5 }), (filter, users) => {
      const mine = parseFilter(filter);
      if (mine === undefined) throw new Error(`not parsed: ${filter}`);
      const theirs = new SCIMMY.Types.Filter(filter).match(users);
      expect(users.filter((each) => matches(mine, each))).toEqual(theirs);
    }),
    { numRuns: 2000 },
  );
});
