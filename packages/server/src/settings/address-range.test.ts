import { expect, test } from "vitest";
import { isAddressRange } from "./address-range.ts";

test.each([
  ["10.0.0.1", true],
  ["10.0.0.0/8", true],
  ["fd00::/8", true],
  ["10.0.0.0/33", false],
  ["10.0.0.0/8/8", false],
  ["10.0.0.0/", false],
  ["proxy.example", false],
])("%s is a range of addresses: %s", (text, is) => {
  expect(isAddressRange(text)).toBe(is);
});
