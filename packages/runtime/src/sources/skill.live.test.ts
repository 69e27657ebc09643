import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CapabilityRegistry, memoryFileStore, type ToolContext } from "@capstan/core";
import { afterAll, describe, expect, test } from "vitest";
import { loadSkill } from "./skill.ts";

const root = mkdtempSync(join(tmpdir(), "capstan-skills-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const FRONT = "---\nname: pdf-forms\ndescription: Fills PDF forms. Use when a form must be filled in.\n";
const GOOD = `${FRONT}license: MIT\nmetadata:\n  version: "1.2"\n---\n\n# Fill a form\n\nRun scripts/fill.py.\n`;

describe("a skill folder", () => {
  test("is a capability: name and description are the prompt, its text and files are read on demand", async () => {
    const skill = await load("pdf-forms", GOOD, {
      "scripts/fill.py": "print('fill')",
      "references/a.md": "# A",
    });
    expect(skill).toMatchObject({
      id: "pdf-forms",
      name: "Pdf Forms",
      description: "Fills PDF forms. Use when a form must be filled in.",
      version: "1.2.0",
      source: "skill",
      documentation: { usage: "Licence: MIT" },
      routing: { routable: false }, // it instructs an agent; reading it does no task
    });
    expect(skill.systemPrompt).toBe(
      "Skill pdf-forms: Fills PDF forms. Use when a form must be filled in.\n" +
        "When a task fits, first read its instructions with pdf-forms_read_skill_file (SKILL.md). " +
        "Its other files: references/a.md, scripts/fill.py.",
    );
    expect(CapabilityRegistry.of([skill]).list()).toHaveLength(1);
    expect(await read(skill, { path: "scripts/fill.py" })).toEqual({
      ok: true,
      value: { path: "scripts/fill.py", size_bytes: 13, content: "print('fill')", encoding: "text" },
    });
  });

  test("returns its instructions on request", async () => {
    const skill = await load("pdf-forms", GOOD);
    const instructions = await read(skill, { path: "SKILL.md" });
    expect(JSON.stringify(instructions)).toContain("Run scripts/fill.py.");
  });

  test("copies a file into the session, where other tools find it", async () => {
    const skill = await load("pdf-forms", GOOD, { "scripts/fill.py": "print('fill')" });
    const fileStore = memoryFileStore();
    const copied = await read(skill, { path: "./scripts/fill.py", copy_to: "/work/fill.py" }, fileStore);
    expect(copied).toMatchObject({ value: { copied_to: "/work/fill.py" } });
    expect(await fileStore.read("/work/fill.py")).toMatchObject({ ok: true });
    expect(await read(skill, { path: "scripts/fill.py", copy_to: "/x" })).toMatchObject({
      failure: { code: "session_required" },
    });
  });

  test("returns binary files as base64", async () => {
    const skill = await load("pdf-forms", GOOD, { "logo.png": new Uint8Array([0xff, 0xd8]) });
    expect(await read(skill, { path: "logo.png" })).toMatchObject({
      value: { content: "/9g=", encoding: "base64" },
    });
  });

  test("with a long text adds no more to the prompt than one with a short text", async () => {
    const skill = await load("pdf-forms", `${FRONT}---\n${"word ".repeat(10_000)}`);
    expect(skill.systemPrompt?.length).toBeLessThan(500);
    expect(await read(skill, { path: "SKILL.md" })).toMatchObject({ ok: true });
  });

  test.each([
    ["no front matter", "# Hello", "front matter"],
    ["a name in capitals", "---\nname: PDF\ndescription: x\n---\n", "SKILL.md name must be lower case"],
    ["a name with two hyphens", "---\nname: a--b\ndescription: x\n---\n", "SKILL.md name must be lower case"],
    ["a name that is too long", `---\nname: ${"a".repeat(65)}\ndescription: x\n---\n`, "at most 64"],
    [
      "another name than its folder's",
      "---\nname: other\ndescription: x\n---\n",
      'its folder is "pdf-forms"',
    ],
    ["no description", "---\nname: pdf-forms\n---\n", "SKILL.md description must be text"],
    ["a long description", `---\nname: pdf-forms\ndescription: ${"x".repeat(1025)}\n---\n`, "at most 1024"],
    ["front matter that is not YAML", "---\nname: [\n---\n", "cannot be read"],
  ])("with %s is refused", async (_, text, says) => {
    const result = await loadSkill(folder("pdf-forms", text));
    expect(result.ok ? "" : result.failure.message).toContain(says);
  });

  test("without SKILL.md is refused", async () => {
    expect(await loadSkill(join(root, "nothing"))).toMatchObject({ failure: { code: "not_found" } });
  });

  test.each(["../../etc/passwd", "/etc/passwd", "link.txt", "scripts/../../x", "linked/passwd"])(
    "never returns a file from outside: %s",
    async (path) => {
      const at = folder("pdf-forms", GOOD, { "a.txt": "a" });
      symlinkSync("/etc/passwd", join(at, "link.txt"));
      symlinkSync("/etc", join(at, "linked"));
      const loaded = await loadSkill(at);
      if (!loaded.ok) throw new Error(loaded.failure.message);
      expect(await read(loaded.value, { path })).toMatchObject({ failure: { code: "skill_file_unknown" } });
    },
  );

  test("never returns a file that was replaced by a link after loading", async () => {
    const at = folder("pdf-forms", GOOD, { "a.txt": "a" });
    const loaded = await loadSkill(at);
    rmSync(join(at, "a.txt"));
    symlinkSync("/etc/passwd", join(at, "a.txt"));
    if (!loaded.ok) throw new Error(loaded.failure.message);
    expect(await read(loaded.value, { path: "a.txt" })).toMatchObject({ failure: { code: "path_invalid" } });
  });
});

let number = 0;
function folder(name: string, text: string, files: Record<string, string | Uint8Array> = {}): string {
  number += 1;
  const at = join(root, String(number), name);
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, "SKILL.md"), text);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(at, path)), { recursive: true });
    writeFileSync(join(at, path), content);
  }
  return at;
}

async function load(name: string, text: string, files?: Record<string, string | Uint8Array>) {
  const loaded = await loadSkill(folder(name, text, files));
  if (!loaded.ok) throw new Error(loaded.failure.message);
  return loaded.value;
}

async function read(
  { tools }: { tools: Awaited<ReturnType<typeof load>>["tools"] },
  input: { path: string; copy_to?: string },
  fileStore?: ToolContext["fileStore"],
) {
  return tools[0]?.run(input, { ...(fileStore && { fileStore }) } as ToolContext);
}
