import { expect, test } from "vitest";
import { createClient } from "../client.ts";
import { IMAGE_BASE64 } from "../doctor/probe-place.ts";
import { imageFault } from "./image-bytes.ts";

const PNG = Buffer.from(IMAGE_BASE64, "base64");
const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const WEBP = Buffer.from("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==", "base64");
const JPEG = Buffer.concat([Buffer.from("ffd8ffe000104a46494600010100", "hex"), Buffer.from("ffd9", "hex")]);

test.each([
  ["image/png", PNG],
  ["image/gif", GIF],
  ["image/webp", WEBP],
  ["image/jpeg", JPEG],
  ["image/jpg", JPEG],
  ["IMAGE/PNG", PNG],
])("a whole %s is let through, and one that is cut or empty is not", (type, bytes) => {
  expect(imageFault(bytes, type)).toBeUndefined();
  expect(imageFault(bytes.subarray(0, bytes.length - 2), type)).toMatch(/breaks off/);
  expect(imageFault(Buffer.alloc(0), type)).toBe("is empty");
});

test.each([
  ["image/png", GIF, "image/gif"],
  ["image/jpeg", PNG, "image/png"],
  ["image/webp", JPEG, "image/jpeg"],
  ["image/gif", WEBP, "image/webp"],
  ["image/png", Buffer.from("hi"), "no image"],
  ["image/png", Buffer.from([0x89, 0x50]), "no image"],
])("what is declared as %s and is something else is refused", (type, bytes, what) => {
  expect(imageFault(bytes, type)).toBe(`is declared as ${type} and is ${what}`);
});

test("a run with such an image is refused before a program starts", () => {
  const run = () =>
    createClient({ environment: {} }).run({
      agent: "claude",
      prompt: "What is it?",
      attachments: [{ data: GIF.toString("base64"), mimeType: "image/png", name: "dot.png" }],
    });
  expect(run).toThrow("The image dot.png is declared as image/png and is image/gif");
  expect(run).toThrow(expect.objectContaining({ capability: "imageInput" }));
});
