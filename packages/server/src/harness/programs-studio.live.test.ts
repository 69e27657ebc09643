/** Programs in the studio, in a real browser: the change of a real folder, and answers side by side. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Studio, studioUnderTest } from "../../../../tools/studio-under-test.ts";
import { bench } from "./fixtures/bench-capability.ts";
import { scriptedAdapter } from "./fixtures/scripted-adapter.ts";

const machine = realpathSync(mkdtempSync(join(tmpdir(), "capstan-studio-")));
const folder = join(machine, "repository");
let studio: Studio;
beforeAll(async () => {
  chmodSync(machine, 0o755);
  mkdirSync(folder);
  writeFileSync(join(folder, "a.txt"), "one\ntwo\n");
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["add", "-A"],
    ["commit", "-qm", "first"],
  ])
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.c", ...args], { cwd: folder });
  const adapters = [scriptedAdapter(), scriptedAdapter({ name: "second" })];
  studio = await studioUnderTest(
    { CAPSTAN_CODING_AGENT_FOLDERS: machine },
    { config: { capabilities: [bench], codingAgents: adapters } },
  );
});
afterAll(async () => {
  await studio?.close();
  rmSync(machine, { recursive: true, force: true });
});

async function session(agent: object): Promise<string> {
  const made = await studio.server.call("POST", "/v1/agents", {
    name: "Hand",
    harness: "scripted",
    ...agent,
  });
  return (await studio.server.call("POST", "/v1/sessions", { agent_id: made.body.id, title: "Count on" }))
    .body.id;
}

test("a change of a real folder is shown, blocked by what is not committed, and applied", async () => {
  const id = await session({ allow_native_tools: true, folder });
  await studio.server.call("POST", `/v1/sessions/${id}/messages`, {
    content: "write a.txt one, two, three\nsay Done.",
  });
  const page = await studio.open(`/chat/${id}`);
  await page.getByRole("article", { name: "Answer" }).getByText("Done.").waitFor();
  await page.getByRole("button", { name: "Changes" }).click();
  const dialog = page.getByRole("dialog", { name: "Changes" });
  await dialog.getByText("+one, two, three").waitFor();
  writeFileSync(join(folder, "a.txt"), "mine");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog
    .getByRole("alert")
    .getByText(/uncommitted changes.*a\.txt/)
    .waitFor();
  execFileSync("git", ["checkout", "-q", "a.txt"], { cwd: folder });
  await dialog.getByLabel("Commit message").fill("Count further");
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.getByText("applied", { exact: true }).waitFor();
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one, two, three");
  expect(execFileSync("git", ["log", "-1", "--format=%s"], { cwd: folder, encoding: "utf8" })).toBe(
    "Count further\n",
  );
  expect(studio.faults).toEqual([]);
}, 120_000);

test("a change of a real folder is discarded after a question, and the folder stays as it is", async () => {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" });
  const before = [readFileSync(join(folder, "a.txt"), "utf8"), git("log", "-1", "--format=%H")];
  const id = await session({ allow_native_tools: true, folder });
  await studio.server.call("POST", `/v1/sessions/${id}/messages`, {
    content: "write a.txt not wanted\nsay Done.",
  });
  const page = await studio.open(`/chat/${id}`);
  await page.getByRole("article", { name: "Answer" }).getByText("Done.").waitFor();
  await page.getByRole("button", { name: "Changes" }).click();
  const changes = page.getByRole("dialog", { name: "Changes" });
  await changes.getByText("+not wanted").waitFor();
  expect(git("branch", "--list", "capstan/*")).toContain("capstan/");
  await changes.getByRole("button", { name: "Discard" }).click();
  const question = page.getByRole("dialog", { name: "Discard the change?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  await changes.getByText("open", { exact: true }).waitFor();
  await changes.getByRole("button", { name: "Discard" }).click();
  await question.getByRole("button", { name: "Discard" }).click();
  await changes.getByText("discarded", { exact: true }).waitFor();
  expect(await changes.getByRole("button", { name: "Apply" }).count()).toBe(0);
  expect([readFileSync(join(folder, "a.txt"), "utf8"), git("log", "-1", "--format=%H")]).toEqual(before);
  expect([git("branch", "--list", "capstan/*"), git("status", "--porcelain")]).toEqual(["", ""]);
  expect(studio.faults).toEqual([]);
}, 120_000);

test("answers stand side by side with their diffs, time and cost, and one is kept", async () => {
  const id = await session({ allow_native_tools: true });
  const write = (content: string) => studio.server.call("POST", `/v1/sessions/${id}/messages`, { content });
  await write("write notes.txt before\nsay Written.");
  const page = await studio.open(`/chat/${id}`);
  await page.getByRole("article", { name: "Answer" }).getByText("Written.").waitFor();
  const started = await studio.server.call("POST", `/v1/sessions/${id}/comparisons`, {
    content: "shell pwd > notes.txt\nsay Changed it.\nusage 1000",
    in: ["scripted", { harness: "second", model: "scripted-1" }],
  });
  await page.goto(`${studio.server.url}/compare/${id}/${started.body.id}`);
  for (const name of ["scripted", "second, scripted-1"]) {
    const branch = page.getByRole("region", { name, exact: true });
    await branch.getByText("Changed it.").waitFor();
    await branch.getByText(/[\d.]+ s · .*1001 tokens · 1 file changed/).waitFor();
    await branch.getByText("/notes.txt", { exact: true }).click();
    await branch.getByText("-before").waitFor();
  }
  const second = page.getByRole("region", { name: "second, scripted-1" });
  await second.getByRole("button", { name: "Keep this one" }).click();
  await page.waitForURL(/\/chat\//);
  await page.getByRole("article", { name: "Answer" }).getByText("Changed it.").waitFor();
  expect(studio.faults).toEqual([]);
}, 120_000);
