import { expect, test } from "vitest";
import { parseSettings } from "./settings.ts";

test.each([
  ["PORT", "abc", "PORT must be a number from 0 to 65535, not abc"],
  ["PORT", "70000", "PORT must be a number from 0 to 65535, not 70000"],
  ["PORT", "80.5", "PORT must be a whole number from 0 to 65535, not 80.5"],
  ["CAPSTAN_STREAMS_PER_KEY", "many", "CAPSTAN_STREAMS_PER_KEY must be a number of at least 1, not many"],
  [
    "CAPSTAN_DISK_RESERVE_BYTES",
    "64MB",
    "CAPSTAN_DISK_RESERVE_BYTES must be a number of at least 0, not 64MB",
  ],
  ["CAPSTAN_LOGIN_HOURS", "0", "CAPSTAN_LOGIN_HOURS must be a number above 0 up to 8760, not 0"],
  [
    "CAPSTAN_EVENT_RETENTION_DAYS",
    "x",
    "CAPSTAN_EVENT_RETENTION_DAYS must be a number above 0 up to 36500, not x",
  ],
  ["CAPSTAN_RUNS_AT_ONCE", "Infinity", "CAPSTAN_RUNS_AT_ONCE must be a number from 1 to 10000, not Infinity"],
])("%s=%s is refused with what it may be and what it is", (name, value, sentence) => {
  const settings = parseSettings({ [name]: value });
  expect(settings).toMatchObject({
    ok: false,
    failure: {
      message: `The settings are not valid: ${sentence}`,
      nextStep: expect.stringContaining("docs/configuration.md"),
    },
  });
});

test("numbers within their range are read, and unset ones have their default", () => {
  expect(parseSettings({ PORT: "0", CAPSTAN_LOGIN_HOURS: "0.5" })).toMatchObject({
    ok: true,
    value: {
      PORT: 0,
      CAPSTAN_LOGIN_HOURS: 0.5,
      CAPSTAN_RUNS_AT_ONCE: 500,
      CAPSTAN_FILE_LIMIT_BYTES: 10_485_760,
    },
  });
});

test("every numeric setting says what it may be", () => {
  const names = Object.keys(numbers());
  expect(names.length).toBeGreaterThan(12);
  for (const name of names) {
    const settings = parseSettings({ [name]: "abc" });
    expect(settings.ok ? name : settings.failure.message).toMatch(
      new RegExp(`${name} must be a number .*\\d, not abc$`),
    );
  }
});

const numbers = (): Record<string, number> => {
  const settings = parseSettings({ CAPSTAN_EVENT_RETENTION_DAYS: "1" });
  const entries = settings.ok ? Object.entries(settings.value) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
};

test("a client of a provider that is set twice is refused: which of the two was meant, nobody knows", () => {
  const twice = '{"github": {"client_id": "a"}, "github": {"client_id": "b"}}';
  expect(parseSettings({ CAPSTAN_CONNECTION_CLIENTS: twice })).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining("CAPSTAN_CONNECTION_CLIENTS must be JSON, each key once") },
  });
});
