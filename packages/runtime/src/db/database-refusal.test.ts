import { expect, test } from "vitest";
import { reasonOf, refusedConnection, refusedFolder, refusedSetup } from "./database-refusal.ts";

const WHERE = "postgres://db/capstan";
const coded = (code: string, message = "it failed") => Object.assign(new Error(message), { code });

test("an untrusted certificate is named, with the settings that help", () => {
  const { failure } = refusedConnection(
    coded("DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate"),
    WHERE,
  );
  expect(failure.message).toMatch(/certificate is not trusted \(self-signed certificate\)/);
  expect(failure.nextStep).toMatch(/sslrootcert=.*sslmode=no-verify/);
});

test("the statement is never repeated: the driver's message is inside drizzle's", () => {
  const driver = coded("42501", "permission denied for schema public");
  const drizzle = new Error('Failed query: CREATE TABLE "agents" (...)', { cause: driver });
  expect(reasonOf(drizzle)).toBe("permission denied for schema public");
  const { failure } = refusedSetup(drizzle, WHERE);
  expect(failure.message).not.toContain("CREATE TABLE");
  expect(failure.nextStep).not.toMatch(/folder|password/);
});

test.each([
  ["a full disk", coded("ENOSPC"), /no space left/, /Free some/],
  ["a full disk in the middle of a statement", coded("53100"), /no space left/, /Free some/],
  ["a full disk under PGlite, which throws a bare object", { errno: 51 }, /no space left/, /Free some/],
  ["a low limit on open files", coded("EMFILE"), /open files is too low/, /ulimit -n/],
  ["npm install --omit=optional", coded("store_not_installed"), /is not installed/, /--include=optional/],
  ["a data folder that is a file", coded("ENOTDIR"), /CAPSTAN_DATA_DIR names a file/, /Choose a folder/],
  ["a read-only file system", coded("EROFS"), /read-only/, /CAPSTAN_DATA_DIR/],
])("%s is reported with what helps, and without mentioning backups", (_what, error, why, nextStep) => {
  const { failure } = refusedFolder(error, "/data");
  expect(failure.message).toMatch(why);
  expect(failure.nextStep).toMatch(nextStep);
  expect(failure.nextStep).not.toContain("backup");
});

test.each([
  [{ errno: 8 }, "error 8 without a message"],
  [{}, "an error without a message"],
  ["gone", "gone"],
])("%j, thrown instead of an error, is named in words", (thrown, words) => {
  expect(refusedFolder(thrown, "/data").failure.message).toContain(words);
});
