import { expect, test } from "vitest";
import { unclearQuery } from "./clear-query.ts";

test.each(["/a?q=%", "/a?q=%E0", "/a?q=%E0%A4", "/a?q=%zz", "/a?%FF=1", "/a?q=%C0%AF", "/a?q=\u00c3\u00a9"])(
  "%s is refused, because each reader would see another text",
  (address) => expect(unclearQuery(address)).toMatch(/escape/),
);

test.each(["/a?=x", "/a?limit=1&=x", "/a?="])("%s is refused, because its value has no name", (address) =>
  expect(unclearQuery(address)).toBe("it has a parameter without a name"),
);

test.each([
  "/a",
  "/a?",
  "/a?q=%C3%A9",
  "/a?q=50%25",
  "/a?q=a+b",
  "/a?q==",
  "/a?&q=a&",
  "/a?q=%F0%9F%98%80&limit=1",
  "/%E0",
])("%s is read", (address) => expect(unclearQuery(address)).toBeUndefined());
