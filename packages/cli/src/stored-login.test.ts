import { mkdtempSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { LoginFileRefused, loginFile, readLogin, removeLogin, writeLogin } from "./stored-login.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-stored-login-"));
afterAll(() => rmSync(folder, { recursive: true }));

const URL_HERE = "https://capstan.example.com";
const environment = { XDG_CONFIG_HOME: folder };
const login = {
  url: URL_HERE,
  token: "login_x",
  user: "a@example.com",
  expiresAt: "2030-01-01T00:00:00.000Z",
};

function replaceByLink(file: string): void {
  renameSync(file, `${file}.real`);
  symlinkSync(`${file}.real`, file);
}

describe("the login of a server", () => {
  test("is found for its own address in every spelling, and for no other", () => {
    const file = writeLogin({ ...login, url: `${URL_HERE}/` }, environment);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readLogin("https://CAPSTAN.example.com:443//", environment)).toEqual(login);
    for (const other of [
      "http://capstan.example.com",
      "https://capstan.example.com:8443",
      "https://example.com",
    ])
      expect(readLogin(other, environment)).toBeUndefined();
    removeLogin(URL_HERE, environment);
    expect(readLogin(URL_HERE, environment)).toBeUndefined();
  });

  test.each<[what: string, spoil: (file: string) => void]>([
    ["a link", replaceByLink],
    ["not a login", (file) => writeFileSync(file, "{")],
    [
      "of another server",
      (file) => writeFileSync(file, JSON.stringify({ ...login, url: "https://evil.example" })),
    ],
  ])("is refused when its file is %s", (_what, spoil) => {
    spoil(writeLogin(login, environment));
    expect(() => readLogin(URL_HERE, environment)).toThrow(LoginFileRefused);
    rmSync(loginFile(URL_HERE, environment));
  });
});
