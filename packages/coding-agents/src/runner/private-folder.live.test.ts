/** The run's folder beside a home that belongs to another user, whose programs may have put links into it. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test as plainTest } from "vitest";
import { homeOf } from "./home-files.ts";
import { giveFolder, returnRunFiles, writeRunFiles } from "./private-folder.ts";

const USER = { uid: 70_001, gid: 70_001 };
const test = plainTest.skipIf(process.getuid?.() !== 0); // only root can act as somebody else

function places() {
  const root = mkdtempSync(join(tmpdir(), "capstan-homes-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  chmodSync(root, 0o755);
  const home = join(root, "home");
  const folder = join(root, "run");
  const secret = join(root, "secret"); // the server's own
  for (const path of [home, folder, secret]) mkdirSync(path, { mode: 0o700 });
  chownSync(home, USER.uid, USER.gid);
  writeFileSync(join(secret, "settings.json"), '{"key":"of the server"}', { mode: 0o600 });
  const path = join(folder, "over");
  const linked = { path, linksInto: join(home, ".tool"), except: ["settings.json"], shared: ["tmp"] };
  const document = {
    path: join(path, "settings.json"),
    over: join(home, ".tool/settings.json"),
    document: { a: 1 },
  };
  return { home, folder, secret, files: [linked, document] };
}

test("what a run makes in its user's home belongs to that user", async () => {
  const { home, folder, files } = places();
  await writeRunFiles(folder, files, homeOf(USER));
  await giveFolder(folder, USER);
  writeFileSync(join(folder, "over/login"), "fresh", { mode: 0o644 });
  await returnRunFiles(files, homeOf(USER));
  for (const made of [".tool/tmp", ".tool/login"]) expect(statSync(join(home, made)).uid).toBe(USER.uid);
  expect(readFileSync(join(home, ".tool/login"), "utf8")).toBe("fresh");
});

test("a link in the user's home leads the server neither to read nor to write what the user cannot", async () => {
  const { home, folder, secret, files } = places();
  symlinkSync(secret, join(home, ".tool"));
  await writeRunFiles(folder, files.slice(1), homeOf(USER));
  expect(JSON.parse(readFileSync(join(folder, "over/settings.json"), "utf8"))).toEqual({ a: 1 });
  await expect(writeRunFiles(folder, files.slice(0, 1), homeOf(USER))).rejects.toThrow(/Permission denied/);
  writeFileSync(join(folder, "over/planted"), "x", { mode: 0o644 });
  await expect(returnRunFiles(files, homeOf(USER))).rejects.toThrow(/Permission denied/);
  expect(readdirSync(secret)).toEqual(["settings.json"]);
  expect(existsSync(join(secret, "planted"))).toBe(false);
});
