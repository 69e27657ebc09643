import {
  memoryFileStore,
  ok,
  type Sandbox,
  type SandboxOutcome,
  type SandboxRequest,
  type SessionFileStore,
  type ToolContext,
} from "@capstan/core";
import { describe, expect, test } from "vitest";
import { sandboxCapability } from "./sandbox.ts";

const text = (value: string) => new TextEncoder().encode(value);

describe("sandbox", () => {
  test("is the seed's capability, available", () => {
    expect(sandboxCapability()).toMatchObject({
      id: "sandbox",
      name: "Sandbox",
      status: "available",
      icon: "box",
      category: "Execution",
      systemPrompt:
        "You can execute code in a sandboxed environment. Use the execute_code tool to run code safely.",
    });
    expect(sandboxCapability().tools).toMatchObject([{ name: "execute_code", policy: "auto" }]);
  });

  test("hides its tool, with all reasons, when no interpreter is installed", () => {
    const [tool] = sandboxCapability({ unavailable: (language) => `no ${language} here` }).tools;
    expect(tool?.unavailable).toBe(
      "javascript: no javascript here; python: no python here; bash: no bash here",
    );
  });

  test("offers only the languages that work", () => {
    const interpreters = {
      unavailable: (language: string) => (language === "python" ? "not installed" : undefined),
    };
    const [tool] = sandboxCapability(interpreters).tools;
    expect(tool?.unavailable).toBeUndefined();
    expect(tool?.input.parse({ language: "bash", code: "true" }).ok).toBe(true);
    expect(tool?.input.parse({ language: "python", code: "1" }).ok).toBe(false);
  });

  test("mounts the session's files, and saves what the code changed", async () => {
    const files = await session({ "/in.txt": "in", "/old.txt": "old" });
    const changed = new Map([
      ["/out.txt", text("out")],
      ["/old.txt", null],
    ]);
    const { seen, result } = await execute({ code: "x" }, files, { changed });
    expect([...(seen?.files.keys() ?? [])].sort()).toEqual(["/in.txt", "/old.txt"]);
    expect(result).toMatchObject({
      ok: true,
      value: {
        exit: "done",
        files_changed: [
          { path: "/out.txt", size_bytes: 3, deleted: false },
          { path: "/old.txt", size_bytes: 0, deleted: true },
        ],
        files_not_kept: [],
      },
    });
    expect(await files.read("/out.txt")).toEqual(ok(text("out")));
    expect(await files.stat("/old.txt")).toEqual(ok(undefined));
  });

  test("mounts only the named files and directories, if any are named", async () => {
    const files = await session({
      "/a.txt": "a",
      "/data/b.txt": "b",
      "/data/deep/c.txt": "c",
      "/d.txt": "d",
    });
    const { seen } = await execute({ code: "x", files: ["/a.txt", "/data"] }, files);
    expect([...(seen?.files.keys() ?? [])].sort()).toEqual(["/a.txt", "/data/b.txt", "/data/deep/c.txt"]);
    const { result } = await execute({ code: "x", files: ["/none"] }, files);
    expect(result).toMatchObject({ ok: false, failure: { code: "file_not_found" } });
  });

  test("reports which files could not be saved, and saves the others", async () => {
    const files = await session({});
    await files.write("/fixed.txt", text("fixed"), { readonly: true });
    const changed = new Map([
      ["/fixed.txt", text("mine")],
      ["/free.txt", text("free")],
    ]);
    const { result } = await execute({ code: "x" }, files, { changed });
    expect(result).toMatchObject({
      value: {
        files_changed: [{ path: "/free.txt" }],
        files_not_kept: [{ path: "/fixed.txt", why: "/fixed.txt is read-only." }],
      },
    });
  });

  test("works without a session, and reports that files were not saved", async () => {
    const { seen, result } = await execute({ code: "x" }, undefined, {
      changed: new Map([["/a", text("a")]]),
    });
    expect(seen?.files.size).toBe(0);
    expect(result).toMatchObject({ value: { files_changed: [], files_not_kept: [{ path: "/a" }] } });
  });

  test("refuses where the server has no sandbox", async () => {
    const [tool] = sandboxCapability().tools;
    const result = await tool?.run({ language: "python", code: "1", timeout_seconds: 1 }, context({}));
    expect(result).toMatchObject({ failure: { code: "sandbox_unavailable" } });
  });
});

async function session(files: Record<string, string>): Promise<SessionFileStore> {
  const store = memoryFileStore();
  for (const [path, content] of Object.entries(files)) await store.write(path, text(content));
  return store;
}

async function execute(
  input: { code: string; files?: string[] },
  fileStore: SessionFileStore | undefined,
  outcome: Partial<SandboxOutcome> = {},
) {
  let seen: SandboxRequest | undefined;
  const sandbox: Sandbox = {
    unavailable: () => undefined,
    async run(request) {
      seen = request;
      return ok({
        exit: "done",
        exitCode: 0,
        stdout: "",
        stderr: "",
        changed: new Map(),
        durationMs: 1.4,
        ...outcome,
      } as SandboxOutcome);
    },
  };
  const [tool] = sandboxCapability(sandbox).tools;
  const parsed = tool?.input.parse({ language: "javascript", ...input });
  if (!tool || !parsed?.ok) throw new Error("the input should be valid");
  const result = await tool.run(parsed.value, context({ sandbox, ...(fileStore && { fileStore }) }));
  return { seen, result };
}

function context(parts: Partial<ToolContext>): ToolContext {
  return { signal: new AbortController().signal, ...parts } as ToolContext;
}
