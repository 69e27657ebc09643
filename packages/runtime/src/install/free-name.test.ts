import { describe, expect, test } from "vitest";
import { withFreeName } from "./free-name.ts";

const taken = (capability: string) =>
  ["memory", "web_fetch"].includes(capability) ? "a capability of the server itself" : undefined;
const named = (name: string, kind: "mcp" | "document" = "mcp") => {
  const bytes = new TextEncoder().encode(JSON.stringify({ name, command: "npx", args: ["-y", "server"] }));
  return withFreeName({ kind, bytes, origin: "mcp.json" }, taken).bytes;
};
const read = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));

describe("an MCP server named like a capability of this server", () => {
  test("gets a free name, and keeps its command", () => {
    expect(read(named("memory"))).toEqual({ name: "memory-mcp", command: "npx", args: ["-y", "server"] });
  });

  test("a hyphen in the name is an underscore in the id", () => {
    expect(read(named("web-fetch")).name).toBe("web-fetch-mcp");
  });

  test("a free name stays, byte for byte", () => {
    expect(new TextDecoder().decode(named("everything"))).toBe(
      '{"name":"everything","command":"npx","args":["-y","server"]}',
    );
  });

  test("other kinds keep their names: their conflict is reported", () => {
    expect(read(named("memory", "document")).name).toBe("memory");
  });

  test("what is no declaration is left for the reader to report", () => {
    const bytes = new TextEncoder().encode("{");
    expect(withFreeName({ kind: "mcp", bytes, origin: "x" }, taken).bytes).toBe(bytes);
  });
});
