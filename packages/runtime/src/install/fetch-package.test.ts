import { ok } from "@capstan/core";
import { expect, test } from "vitest";
import { fetchPackage } from "./fetch-package.ts";

const noNpm = async () => ok({ ok: false, stdout: "", why: "not requested" });

test.each([
  ["https://example.com/aech_cli_tides-0.1.0-py3-none-any.whl", "wheel", true],
  ["https://example.com/capstan-cli-tides-0.1.0.tgz?token=1", "npm", true],
  ["https://example.com/tides/openapi.yaml", "openapi", true],
  ["https://example.com/mcp", "mcp", false],
])("%s is a package of kind %s, fetched: %j", async (source, kind, isFetched) => {
  const fetched: string[] = [];
  const download = async (url: string) => {
    fetched.push(url);
    return ok(new Uint8Array([1]));
  };
  expect(await fetchPackage({ source }, { npm: noNpm, download })).toMatchObject({
    value: { kind, origin: source },
  });
  expect(fetched).toEqual(isFetched ? [source] : []);
});
