/** Attachments that arrive as paths: which are read, which are refused and how, and what a program finds where. */
import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createClient } from "../client.ts";
import { IMAGE_BASE64 } from "../doctor/probe-place.ts";
import { placeAttachments, privateFolder } from "./private-folder.ts";

let root: string;
let cwd: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "capstan-attached-")));
  cwd = join(root, "work");
  mkdirSync(join(cwd, "folder"), { recursive: true });
  mkdirSync(join(root, "work-beside"));
  writeFileSync(join(root, "secret.txt"), "of somebody else");
  writeFileSync(join(root, "work-beside", "near.txt"), "of a neighbour");
  writeFileSync(join(cwd, "notes.txt"), "inside");
  writeFileSync(join(cwd, "50% #1 (a).txt"), "inside, with an odd name");
  writeFileSync(join(cwd, "large.txt"), "x".repeat(10_000_001));
  writeFileSync(join(cwd, "binary.txt"), Buffer.from([0xff, 0xfe, 0x00]));
  writeFileSync(join(cwd, "wrong.pdf"), "no document");
  writeFileSync(join(cwd, "picture"), Buffer.from(IMAGE_BASE64, "base64"));
  writeFileSync(join(cwd, "cut.png"), Buffer.from(IMAGE_BASE64, "base64").subarray(0, 20));
  symlinkSync(join(root, "secret.txt"), join(cwd, "link-out.txt"));
  symlinkSync(join(cwd, "notes.txt"), join(cwd, "link-in.txt"));
  symlinkSync(join(cwd, "nowhere"), join(cwd, "dangling.txt"));
  symlinkSync(root, join(cwd, "up"));
  execFileSync("mkfifo", [join(cwd, "pipe.txt")]);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const asked = (path: string, mimeType?: string) => ({
  agent: "claude",
  prompt: "What is it?",
  cwd,
  attachments: [{ path, ...(mimeType && { mimeType }) }],
});
const refusalOf = (options: ReturnType<typeof asked>, confined: boolean) => {
  try {
    createClient({ environment: { PATH: "/nowhere", HOME: root } }).run(options, { confined });
  } catch (error) {
    return (error as { failure?: { code: string; message: string; nextStep: string } }).failure;
  }
  return undefined;
};

describe.each([
  ["a caller on another machine", true],
  ["a caller on this machine", false],
])("for %s", (_, confined) => {
  test.each([
    ["a file that is not there", "missing.txt", /no such file|not in the folder/],
    ["a link to nothing", "dangling.txt", /no such file|not in the folder/],
    ["a folder", "folder", /no file/],
    ["a pipe, without waiting for it", "pipe.txt", /no file/],
    ["more than ten million bytes", "large.txt", /10000001 bytes/],
    ["bytes that are called PDF and are none", "wrong.pdf", /no PDF/],
    ["an image that nothing calls one", "picture", /image\/png, which neither/],
    ["a path with a null character", "a\0b", /no such file|not in the folder/],
  ])("%s is refused by a code, with what to do", (_what, path, why) => {
    const failure = refusalOf(asked(path), confined);
    expect(failure).toMatchObject({ code: "coding_agent_attachment_refused" });
    expect(failure?.message).toMatch(why);
    expect(failure?.nextStep).toContain("10 MB");
  });

  test("bytes that are declared as text and are none are refused", () => {
    expect(refusalOf(asked("binary.txt", "text/plain"), confined)?.message).toContain("no text in UTF-8");
  });

  test("an image that breaks off is refused, as it is when its bytes arrive", () => {
    const failure = refusalOf(asked("cut.png"), confined);
    expect(failure).toMatchObject({
      code: "CAPABILITY_ERROR",
      message: expect.stringContaining("breaks off"),
    });
  });

  test.each(["notes.txt", "./folder/../notes.txt", "link-in.txt"])("%s is taken", (path) => {
    expect(refusalOf(asked(path), confined)).toBeUndefined();
  });
});

const OUTSIDE = ["../secret.txt", "link-out.txt", "up/secret.txt", "/etc/passwd", "../work-beside/near.txt"];

test.each(OUTSIDE)("%s is out of reach of a caller on another machine", (path) => {
  expect(refusalOf(asked(path), true)).toMatchObject({
    code: "coding_agent_attachment_refused",
    message: expect.stringContaining("not in the folder"),
  });
});

test("whether a file outside is there is not told to a caller on another machine", () => {
  const [there, missing] = ["../secret.txt", "../nothing.txt"].map(
    (path) => refusalOf(asked(path), true)?.message,
  );
  expect(there?.replace("secret", "nothing")).toBe(missing);
});

test("a link that is put there after the check is not followed", async () => {
  const run = { agent: "claude", cwd, confined: true };
  await expect(
    placeAttachments([{ path: "link-out.txt" }], privateFolder("none"), run),
  ).rejects.toMatchObject({
    failure: { code: "coding_agent_attachment_refused" },
  });
});

test("what is outside, or has a name that programs misread, is copied to where the program may read", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-placed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files = [{ path: "../secret.txt" }, { path: "notes.txt" }, { path: "50% #1 (a).txt" }];
  const placed = await placeAttachments(files, folder, { agent: "claude", cwd, confined: false });
  expect(placed.map(({ path }) => path)).toEqual([
    join(folder, "attachments", "1", "secret.txt"),
    join(cwd, "notes.txt"),
    join(folder, "attachments", "3", "50___1__a_.txt"),
  ]);
  expect(readFileSync(placed[0]?.path ?? "", "utf8")).toBe("of somebody else");
});

test("two attachments of one name are both there, and a name of dots is a name", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-placed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const named = (text: string, name: string) => ({
    data: Buffer.from(text).toString("base64"),
    mimeType: "text/plain",
    name,
  });
  const files = [named("one", "a.txt"), named("two", "a.txt"), named("three", "..")];
  const placed = await placeAttachments(files, folder, { agent: "claude", cwd, confined: true });
  expect(placed.map(({ path }) => readFileSync(path, "utf8"))).toEqual(["one", "two", "three"]);
});
