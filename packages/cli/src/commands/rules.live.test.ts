/** capstan rules: added from files, tried on a call and on what happened, removed. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let server: TestServer;
let agent: string;
const folder = mkdtempSync(join(tmpdir(), "capstan-rules-"));
beforeAll(async () => {
  server = await testServer(await freshPglite());
  const made = await server.call("POST", "/v1/agents", { name: "Clerk", capabilities: ["test_math"] });
  agent = made.body.id;
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
});

const capstan = (...args: string[]) => typeCommand(server.url, ["rules", ...args]);
function file(text: string): string {
  const path = join(folder, "rules.yaml");
  writeFileSync(path, text);
  return path;
}
const SMALL_SUMS = `
- name: Small sums only
  tools: [add]
  when:
    - { arg: b, op: above, value: 100 }
  then: ask
`;

test("without rules it says what decides then", async () => {
  expect((await capstan()).out).toContain("No rules; each tool's own policy applies.");
});

test("a rule is added from a file, decides a call, is listed as a sentence, and is removed", async () => {
  expect((await capstan("add", file(SMALL_SUMS))).out).toContain("Ask before add when b is above 100.");
  const check = (b: number, whom = agent) =>
    capstan("check", "add", "--agent", whom, "--input", `{"a": 1, "b": ${b}}`);
  expect((await check(101)).out).toMatch(/^ask: Ask before add when b is above 100\. \(rule [0-9a-f-]{36}\)/);
  expect((await check(101, "clerk")).out).toMatch(/^ask/);
  expect((await check(100)).out).toBe("allow: The tool's own policy allows it.\n");
  const { items } = JSON.parse((await capstan("list", "--json")).out);
  expect(items).toMatchObject([{ name: "Small sums only", then: "ask", agent_id: null }]);
  expect((await capstan("remove", items[0].id)).code).toBe(0);
  expect((await check(101)).out).toMatch(/^allow/);
});

test("of a file, either all rules are added or none, and none twice", async () => {
  const two = `${SMALL_SUMS}- { name: Next, tools: [add], then: deny }\n`;
  const broken = await capstan(
    "add",
    file(two.replace("tools: [add], then: deny", "tools: [ad], then: deny")),
  );
  expect(broken.err).toMatch(/rules\[1\]\.tools\[0\].*did you mean add/);
  expect((await server.call("GET", "/v1/rules")).body.items).toEqual([]);
  expect((await capstan("add", file(two))).code).toBe(0);
  const again = await capstan("add", file(two));
  expect(again.err).toContain('there is already a rule named "Small sums only"');
  const { items } = (await server.call("GET", "/v1/rules")).body;
  expect(items).toHaveLength(2);
  for (const { id } of items) await capstan("remove", id);
});

test("simulate says how many calls were tried, and what would change", async () => {
  expect((await capstan("simulate", file(SMALL_SUMS))).out).toMatch(
    /^Checked 0 calls\.\nNothing would change/,
  );
});

test.each([
  ["no such file", () => ["add", join(folder, "absent.yaml")], /absent\.yaml cannot be read/],
  ["not YAML", () => ["add", file("a: [")], /is not YAML or JSON/],
  ["an unknown field", () => ["add", file(`${SMALL_SUMS}  if: []\n`)], /if/],
  ["a tool that is not there", () => ["add", file(SMALL_SUMS.replace("[add]", "[ad]"))], /did you mean add/],
  [
    "input that is not an object",
    () => ["check", "add", "--agent", agent, "--input", "[1]"],
    /not a JSON object/,
  ],
  [
    "a person who is none",
    () => ["add", file(`${SMALL_SUMS}  ask: { whom: Ada }\n`)],
    /e-mail address or "admin"/,
  ],
  ["no rules", () => ["add", file("[]")], /no rules/],
  ["an unknown agent", () => ["check", "add", "--agent", "Nobody"], /Nobody/],
  ["no agent", () => ["check", "add"], /--agent <agent> is missing/],
])("%s is refused with what is wrong", async (_what, args, words) => {
  const { code, err } = await capstan(...args());
  expect([code === 0, err]).toEqual([false, expect.stringMatching(words)]);
});

test("rules in files are applied by name, shown as sentences, and what is exported changes nothing when applied", async () => {
  const apply = (...args: string[]) => typeCommand(server.url, ["apply", ...args]);
  const written = (when: string) =>
    file(
      `rules:\n  - name: Sums\n    agent: Clerk\n    tools: [add]\n    when: ${when}\n    then: deny\n    words: Too much.\n`,
    );
  const shown = await apply(written("[{ arg: b, op: above, value: 9 }]"), "--dry-run");
  expect(shown.out).toContain('+ rule "Sums" (new)');
  expect(shown.out).toContain("Deny add when b is above 9.");
  expect((await server.call("GET", "/v1/rules")).body.items).toEqual([]);
  expect((await apply(written("[{ arg: b, op: above, value: 9 }]"), "--yes")).code).toBe(0);
  const changed = await apply(written("[{ arg: b, op: above, value: 5 }, { seen: untrusted }]"), "--yes");
  expect(changed.out).toContain("Deny add when b is above 5 and the conversation has read untrusted data.");
  const { items } = (await server.call("GET", "/v1/rules")).body;
  expect(items).toMatchObject([{ name: "Sums", agent_id: agent, words: "Too much.", then: "deny" }]);

  const exported = await capstan("export");
  expect(exported.out).toContain("# Deny add when b is above 5");
  const again = await apply(file(exported.out), "--json");
  expect(again.err).toBe("");
  expect(JSON.parse(again.out)).toMatchObject({
    applied: false,
    rules: [{ action: "none", id: items[0].id }],
  });
  const wrong = await apply(file("rules:\n  - { name: W, tools: [ad], then: deny }\n"), "--yes");
  expect(wrong.code).not.toBe(0);
  expect(wrong.err).toContain("did you mean add");
  expect((await capstan("remove", items[0].id)).code).toBe(0);
});
