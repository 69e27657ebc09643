/** The inbox assistant as it is deployed: the service on one user's files, and the command lines as the specification writes them. */
import { execFile, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

let home: string;
let outbox: string;
let stop: () => Promise<number | null>;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "inbox-"));
  outbox = join(home, "triggers");
  const mail = join(home, "capabilities", "inbox-assistant", "mail");
  mkdirSync(mail, { recursive: true });
  mkdirSync(outbox);
  for (let i = 1; i <= 2; i++)
    writeFileSync(
      join(mail, `${i}.eml`),
      `From: Ann <ann@x.org>\nSubject: Project update ${i}\n\nHow is the project?\n`,
    );
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    TRIGGER_OUTBOX: outbox,
    DELEGATED_USER: "user@example.com",
    POLL_INTERVAL: "0.1",
  };
  const child = spawn("python3", [here("./src/service.py")], { env, stdio: "ignore" });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  stop = () => {
    child.kill("SIGTERM");
    return ended;
  };
  await vi.waitFor(() => expect(triggers()).toHaveLength(2), 20_000);
});
afterAll(async () => {
  await stop?.();
  rmSync(home, { recursive: true, force: true });
});

const triggers = () => readdirSync(outbox).filter((name) => name.endsWith(".json"));

describe("the inbox assistant", () => {
  test("tells the agent by one whole trigger file for each draft, with an id of its own", () => {
    const written = triggers().map((name) => JSON.parse(readFileSync(join(outbox, name), "utf8")));
    expect(written.map(({ user, type }) => [user, type])).toEqual([
      ["user@example.com", "draft_ready"],
      ["user@example.com", "draft_ready"],
    ]);
    const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(written.every(({ id }) => uuid4.test(id))).toBe(true);
    expect(triggers().sort()).toEqual(written.map(({ id }) => `${id}.json`).sort());
  });

  test("aech-cli-inbox list-drafts --json", async () => {
    const { stdout } = await inbox("list-drafts", "--json");
    expect(JSON.parse(stdout).map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      ["draft-1", "waiting"],
      ["draft-2", "waiting"],
    ]);
  });

  test("aech-cli-inbox approve draft-1, which is then sent once, however often it is approved", async () => {
    expect(await inbox("approve", "draft-1")).toMatchObject({ code: 0 });
    const sent = join(home, "capabilities", "inbox-assistant", "outbox");
    await vi.waitFor(() => expect(existsSync(sent) && readdirSync(sent)).toHaveLength(1), 20_000);
    const again = await inbox("approve", "draft-1", "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({ id: "draft-1", status: "sent" });
    expect(readdirSync(sent)).toHaveLength(1);
  });

  test('aech-cli-inbox search "project update" --json', async () => {
    const { stdout } = await inbox("search", "project update", "--json");
    expect(JSON.parse(stdout)).toHaveLength(2);
  });

  test.each([
    [["approve", "draft-123"], 1, /no draft draft-123/],
    [["approve"], 2, /draft_id/],
  ])("%j fails with code %i and says why on stderr", async (args, code, message) => {
    expect(await inbox(...args)).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(message) });
  });

  test("ends when it is told to, and its state is whole", async () => {
    expect(await stop()).toBe(0);
    expect(JSON.parse((await inbox("list-drafts", "--json")).stdout)).toHaveLength(1);
  });
});

function inbox(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH ?? "", HOME: home, PYTHONPATH: here("./cli") };
  return new Promise((resolve) => {
    execFile("python3", ["-m", "aech_cli_inbox.main", ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}
