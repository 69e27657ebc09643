import { describe, expect, test } from "vitest";
import { isSemver, isVersionPin, satisfies } from "./semver.ts";

describe("a pin", () => {
  test.each([
    ["1.2.3", "1.2.3", true],
    ["1.2.3", "1.2.4", false],
    ["1.3.0", "^1.2.3", true],
    ["1.2.2", "^1.2.3", false],
    ["2.0.0", "^1.2.3", false],
    ["0.3.0", "^0.2.0", false],
    ["0.2.9", "^0.2.1", true],
    ["1.2.9", "~1.2.3", true],
    ["1.3.0", "~1.2.3", false],
    ["1.9.9", "1.x", true],
    ["1.9.9", "1", true],
    ["1.2.9", "1.2", true],
    ["1.3.0", "1.2.x", false],
    ["1.0.0-beta.1", "1.0.0-beta.1", true],
    ["1.0.0-beta.1", "^1.0.0", false],
    ["3.1.4", "*", true],
    ["junk", "*", false],
    ["1.0.0", "junk", false],
  ])("version %s against %s: %j", (version, pin, fits) => {
    expect(satisfies(version, pin)).toBe(fits);
  });

  test.each([
    ["1.2.3", true],
    ["^1.2", true],
    ["*", true],
    ["latest", false],
    ["", false],
  ])("%j is a pin: %j", (pin, valid) => {
    expect(isVersionPin(pin)).toBe(valid);
  });

  test.each([
    ["1.2.3", true],
    ["1.2", false],
    ["1.2.3-rc.1+build", true],
    ["v1.2.3", false],
    ["01.2.3", false],
  ])("%j is a version: %j", (text, valid) => {
    expect(isSemver(text)).toBe(valid);
  });
});
