import { describe, expect, test } from "vitest";
import { readDocumentSource } from "./document-sources.ts";

const bytesOf = (document: unknown) =>
  new TextEncoder().encode(typeof document === "string" ? document : JSON.stringify(document));
function read(document: unknown, name = "file.json") {
  const source = readDocumentSource(name, bytesOf(document));
  if (!source?.ok) return source;
  const { kind, bytes } = source.value;
  return { kind, ...(kind === "mcp" && { server: JSON.parse(new TextDecoder().decode(bytes)) }) };
}

describe("a file of MCP servers", () => {
  const files = { command: "npx", args: ["-y", "@x/files", "/tmp"], env: { KEY: "k" } };

  test.each([
    ["Claude Desktop, Claude Code and Cursor", { mcpServers: { files } }],
    ["VS Code", { servers: { files: { type: "stdio", ...files } }, inputs: [] }],
    ["VS Code's settings", { mcp: { servers: { files } } }],
  ])("as written by %s is an MCP server", (_, document) => {
    expect(read(document)).toEqual({ kind: "mcp", server: { name: "files", ...files } });
  });

  test("with an address and a key that the editor prompts for declares the key as a secret", () => {
    const remote = {
      type: "http",
      url: "https://mcp.example.com",
      headers: { Authorization: "Bearer $" + "{input:api-key}" },
    };
    expect(read({ servers: { remote } })).toEqual({
      kind: "mcp",
      server: { name: "remote", url: remote.url, headers: { Authorization: "Bearer $" + "{API_KEY}" } },
    });
  });

  test("with several servers lists them, and uses the named one", () => {
    const several = { mcpServers: { a: { command: "a" }, b: { url: "https://b.example.com/mcp" } } };
    expect(read(several)).toMatchObject({
      failure: { code: "package_source_several", details: { inside: ["file.json#a", "file.json#b"] } },
    });
    expect(read(several, "file.json#b")).toMatchObject({ server: { url: "https://b.example.com/mcp" } });
    expect(read(several, "file.json#c")).toMatchObject({
      failure: { message: expect.stringContaining("a, b") },
    });
  });
});

describe("an entry of the MCP registry", () => {
  const npm = {
    name: "io.github.someone/weather",
    packages: [
      {
        registryType: "npm",
        identifier: "@someone/weather-mcp",
        version: "1.2.3",
        environmentVariables: [{ name: "WEATHER_KEY", isSecret: true }],
      },
    ],
  };

  test("with an npm package is started by npx at its version, with its variables as secrets", () => {
    expect(read(npm)).toEqual({
      kind: "mcp",
      server: {
        name: "weather",
        command: "npx",
        args: ["-y", "@someone/weather-mcp@1.2.3"],
        env: { WEATHER_KEY: "$" + "{WEATHER_KEY}" },
      },
    });
  });

  test("with only an address is reached there", () => {
    const remotes = [{ type: "streamable-http", url: "https://mcp.example.com/mcp" }];
    expect(read({ name: "a/b", remotes })).toMatchObject({ server: { name: "b", url: remotes[0]?.url } });
  });

  test("in a list of the registry's API is found by its name", () => {
    const list = {
      servers: [{ server: npm }, { server: { name: "x/y", remotes: [{ url: "https://y.example" }] } }],
    };
    expect(read(list, "list.json#x/y")).toMatchObject({ server: { url: "https://y.example" } });
  });

  test("of an unsupported kind is refused with the reason", () => {
    const docker = { name: "a/b", packages: [{ registryType: "oci", identifier: "a/b" }] };
    expect(read(docker)).toMatchObject({
      failure: { message: expect.stringContaining("neither a command") },
    });
  });
});

test.each([
  ["an OpenAPI document", "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {}", "openapi"],
  ["a declarative capability", "id: tides\nname: Tides\ndescription: Tides.\ntools: []", "document"],
])("%s in YAML is detected by its content", (_, text, kind) => {
  expect(read(text, "x.yaml")).toEqual({ kind });
});

test.each(["not: one", "- a list", ": : :"])("%j is none of these", (text) => {
  expect(read(text, "x.yaml")).toBeUndefined();
});
