import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

describe.each(STORES)("session files over REST on $name", ({ fresh }) => {
  let server: TestServer;
  let files: string;
  beforeAll(async () => {
    server = await testServer(await fresh(), { CAPSTAN_FILE_LIMIT_BYTES: "100000" });
    const { body } = await server.call("POST", "/v1/sessions", {});
    files = `/v1/sessions/${body.id}/files`;
  });
  afterAll(() => server.stop());

  const put = (path: string, bytes: Uint8Array<ArrayBuffer>) =>
    fetch(`${server.url}${files}${path}`, { method: "PUT", body: bytes });

  test("upload and download are binary safe", async () => {
    const bytes = Uint8Array.from({ length: 1024 }, (_, index) => index % 256);
    expect((await put("/deep/er/all%20bytes.bin", bytes)).status).toBe(201);
    expect((await put("/deep/er/all%20bytes.bin", bytes)).status).toBe(200);
    const back = await fetch(`${server.url}${files}/deep/er/all%20bytes.bin`);
    expect(new Uint8Array(await back.arrayBuffer())).toEqual(bytes);
    expect(back.headers.get("content-disposition")).toContain("all%20bytes.bin");
  });

  test("lists the root and a directory", async () => {
    await put("/list/a.txt", new TextEncoder().encode("a"));
    expect((await server.call("GET", `${files}/list`)).body).toMatchObject({
      path: "/list",
      count: 1,
      entries: [{ path: "/list/a.txt", size_bytes: 1 }],
    });
    expect(
      (await server.call("GET", files)).body.entries.map(({ name }: { name: string }) => name),
    ).toContain("list");
  });

  test("a read-only upload cannot be changed or deleted", async () => {
    const path = `${server.url}${files}/fixed.txt`;
    await fetch(`${path}?readonly=true`, { method: "PUT", body: "fixed" });
    expect((await fetch(path, { method: "PUT", body: "changed" })).status).toBe(403);
    expect((await fetch(path, { method: "DELETE" })).status).toBe(403);
    expect(await (await fetch(path)).text()).toBe("fixed");
  });

  test.each([
    ["a file over the limit", "PUT", "/big.bin", 413],
    ["a path with ..", "GET", "/a%2F..%2F..%2Fsecret", 422],
    ["a NUL byte", "GET", "/a%00b", 404],
    ["broken percent-encoding", "GET", "/%E0%A4%A", 422],
    ["a missing file", "GET", "/missing.txt", 404],
    ["a full directory without recursive", "DELETE", "/deep", 409],
  ])("refuses %s", async (_what, method, path, status) => {
    const response = await fetch(`${server.url}${files}${path}`, {
      method,
      ...(method === "PUT" && { body: new Uint8Array(100_001) }),
    });
    expect(response.status).toBe(status);
  });

  test("a directory is deleted with recursive", async () => {
    await put("/gone/a", new Uint8Array(1));
    expect((await server.call("DELETE", `${files}/gone?recursive=true`)).body).toMatchObject({ deleted: 2 });
  });
});
