/** More third-party programs, wrapped and called on session files. Each is skipped where it is not installed. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let server: TestServer;
let folder: string;
let session: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "capstan-wrap-"));
  const { PATH = "", HOME = "", NODE_EXTRA_CA_CERTS: ca } = process.env;
  const environment = { PATH, HOME, ...(ca && { NODE_EXTRA_CA_CERTS: ca }) };
  server = await testServer(await freshPglite(), {}, { environment });
  const agent = await server.call("POST", "/v1/agents", { name: "Wrapper" });
  session = (await server.call("POST", "/v1/sessions", { agent_id: agent.body.id })).body.id;
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const wrap = async (source: string) => {
  const { code, err } = await typeCommand(server.url, ["wrap", source, "--yes", "--into", folder]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
};
const call = async (capability: string, input: object) => {
  const path = `/v1/capabilities/${capability}/tools/${capability}_run`;
  const { body } = await server.call("POST", path, { session_id: session, input });
  return body.output ?? body;
};
const file = (path: string) => `${server.url}/v1/sessions/${session}/files${path}`;
const put = (path: string, body: BodyInit) => fetch(file(path), { method: "PUT", body });
const get = async (path: string) => Buffer.from(await (await fetch(file(path))).arrayBuffer());

describe("npm packages", () => {
  test("prettier formats a file of the session, and text on its standard input", async () => {
    await wrap("npm:prettier");
    await put("/a.json", '{"b":1,   "a":[1,2]}');
    expect(await call("prettier", { file_dir_glob: "/a.json" })).toEqual({ b: 1, a: [1, 2] });
    expect(await call("prettier", { file_dir_glob: "/a.json", write: true })).toMatchObject({
      files_written: ["/a.json"],
    });
    expect((await get("/a.json")).toString()).toBe('{ "b": 1, "a": [1, 2] }\n');
    expect(await call("prettier", { stdin: "const a  = 'x'", parser: "babel" })).toBe('const a = "x";');
  });

  test("qrcode writes an image that the session keeps", async () => {
    await wrap("npm:qrcode");
    const made = await call("qrcode", {
      input_string: "https://example.com",
      output: "/code.png",
      type: "png",
    });
    expect(made).toMatchObject({ files_written: ["/code.png"] });
    expect((await get("/code.png")).subarray(1, 4).toString()).toBe("PNG");
  });
});

describe("programs of the system", () => {
  test.skipIf(!existsSync("/usr/bin/pandoc"))("pandoc converts a document of the session", async () => {
    await wrap("pandoc");
    await put("/report.md", "# Tides\n\nHigh at *noon*.");
    expect(await call("pandoc", { files: ["/report.md"], to: "html" })).toContain("<em>noon</em>");
    const made = await call("pandoc", { files: ["/report.md"], output: "/report.docx" });
    expect(made).toMatchObject({ files_written: ["/report.docx"] });
    expect((await get("/report.docx")).subarray(0, 2).toString()).toBe("PK");
  });

  test.skipIf(!existsSync("/usr/bin/ffmpeg"))(
    "ffmpeg cuts a sound of the session to half a second",
    async () => {
      const sound = join(folder, "tone.wav");
      execFileSync("/usr/bin/ffmpeg", ["-f", "lavfi", "-i", "sine=duration=2", "-ar", "8000", sound], {
        stdio: "ignore",
      });
      await wrap("ffmpeg");
      await put("/tone.wav", readFileSync(sound));
      const made = await call("ffmpeg", { i: "/tone.wav", t: "0.5", outfile: "/half.wav" });
      expect(made).toMatchObject({ files_written: ["/half.wav"] });
      expect((await get("/half.wav")).length).toBeCloseTo(8000, -3); // half a second of 8,000 samples of two bytes
    },
  );

  test.skipIf(!existsSync("/usr/bin/git"))("git has an action for each of its subcommands", async () => {
    await wrap("git");
    const { body } = await server.call("GET", "/v1/capabilities/git");
    const names = body.tools.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(["git_clone", "git_status", "git_log"]));
    const said = await server.call("POST", "/v1/capabilities/git/tools/git_init", {
      session_id: session,
      input: {},
    });
    expect(said.body.output?.result ?? said.body).toContain("Initialized empty Git repository");
  });
});
