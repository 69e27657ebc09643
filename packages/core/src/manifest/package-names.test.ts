import { describe, expect, test } from "vitest";
import { isCommandName, readPackageName } from "./package-names.ts";

describe("package names", () => {
  test.each([
    ["aech-cli-documents", "aech", "cli", "documents"],
    ["aech_cli_inbox", "aech", "cli", "inbox"],
    ["aech-rt-inbox-assistant", "aech", "rt", "inbox-assistant"],
    ["capstan-cli-weather", "capstan", "cli", "weather"],
    ["capstan-rt-log-monitor", "capstan", "rt", "log-monitor"],
    ["@acme/capstan-cli-weather", "capstan", "cli", "weather"],
  ])("%s is read", (text, prefix, role, name) => {
    expect(readPackageName(text)).toMatchObject({ prefix, role, name });
  });

  test.each([
    "documents",
    "aech-documents",
    "aech-cli-",
    "Aech-cli-x",
    "aech-cli-x y",
    "aech-cli-../x",
    "aech-cli--x",
  ])("%s follows no rule", (text) => {
    expect(readPackageName(text)).toBeUndefined();
  });
});

describe("command names", () => {
  test.each(["aech-cli-inbox", "capstan-rt-x1"])("%s is a command", (command) => {
    expect(isCommandName(command)).toBe(true);
  });

  test.each([
    "sh -c 'rm -rf /'",
    "aech-cli-x; id",
    "aech-cli-x\n",
    "/bin/sh",
    "../aech-cli-x",
    "aech-cli-$(id)",
    "aech_cli_x",
  ])("%j is refused", (command) => {
    expect(isCommandName(command)).toBe(false);
  });
});
