/** What a person sees after a typing mistake: none of this reaches a server. */
import { describe, expect, test } from "vitest";
import { typeCommand } from "../../../tools/command-under-test.ts";

const NOWHERE = "http://127.0.0.1:9"; // nothing here may ask it
const capstan = (...args: string[]) => typeCommand(NOWHERE, args);

describe("an invalid command is reported with how to fix it", () => {
  test.each<[string[], string, string]>([
    [["agnets"], 'There is no command "agnets".', 'Did you mean "agents"?'],
    [["constructor"], 'There is no command "constructor".', "`capstan help` lists all commands."],
    [["agents", "shwo", "x"], '"shwo" is not known here; did you mean "show"?', "Usage: capstan agents ["],
    [["tool", "rn", "x", "y"], '"rn" is not known here; did you mean "run"?', "Usage: capstan tool run "],
    [["models", "usee", "x/y"], '"usee" is not known here; did you mean "use"?', "Usage: capstan models ["],
    [
      ["agents", "constructor"],
      '"constructor" is not known here; use one of list, show',
      "Usage: capstan agents [",
    ],
    [["agents", "show"], "show needs an agent's name or id", "Usage: capstan agents ["],
    [["agents", "create"], "create needs a name", "Usage: capstan agents ["],
    [["sessions", "show"], "show needs a session's id", "Usage: capstan sessions ["],
    [["capabilities", "show"], "show needs a capability's id", "Usage: capstan capabilities ["],
    [["approvals", "approve"], "approve needs an approval's id", "Usage: capstan approvals ["],
    [["keys", "revoke"], "revoke needs a key's id", "Usage: capstan keys ["],
    [["triggers", "retry"], "retry needs a trigger's id", "Usage: capstan triggers ["],
    [["services", "stop"], "stop needs a service's name", "Usage: capstan services ["],
    [
      ["coding-agents", "relpay"],
      '"relpay" is not known here; did you mean "replay"?',
      "Usage: capstan coding-agents [",
    ],
    [["coding-agents", "install", "nope"], "There is no coding agent 'nope'", "Use one of claude, codex"],
    [["doctor", "nope"], "There is no coding agent 'nope'", "Use one of claude, codex"],
    [["delegate", "claude"], "a coding agent and a prompt are required", "Usage: capstan delegate "],
    [
      ["new", "cli", "x", "--language", "cobol"],
      'language: expected one of "typescript", "python"',
      "Usage: capstan new ",
    ],
    [
      ["agents", "create", "x", "--capabilty", "y"],
      "unknown option '--capabilty'; did you mean --capability?",
      "Usage: capstan agents [",
    ],
    [["agents", "list", "--force"], "list does not take --force", "Usage: capstan agents ["],
    [
      ["agents", "delete", "a", "b"],
      'delete takes 1 argument, so "b" is unexpected',
      "Usage: capstan agents [",
    ],
    [["budgets", "--user", "a@b.co"], "list does not take --user", "Usage: capstan budgets ["],
    [
      ["budgets", "raise", "x", "--measure", "calls"],
      "raise does not take --measure",
      "Usage: capstan budgets [",
    ],
    [["rules", "remove", "a", "b"], 'so "b" is unexpected', "Usage: capstan rules ["],
    [
      ["memories", "add", "I", "prefer", "tea"],
      "put text with spaces in quotes",
      "Usage: capstan memories [",
    ],
    [["keys", "list", "--right", "admin"], "list does not take --right", "Usage: capstan keys ["],
    [
      ["run", "add 1 and 2", "--user", "a@b.co", "--user", "c@d.co"],
      "--user is given twice",
      "Usage: capstan run ",
    ],
    [["pack", "/no/such/folder"], "no such file or directory", "Check the path and its permissions"],
  ])("capstan %j: %s", async (args, message, nextStep) => {
    const { code, out, err } = await capstan(...args);
    expect(code).toBe(1);
    expect(out).toBe("");
    const [said, next] = err.split("\n");
    expect(said).toContain(message);
    expect(next).toContain(nextStep);
    expect(next).not.toContain("positional");
  });

  test.each([[["agnets"]], [["agents", "--bogus"]], [["agents", "show"]]])(
    "capstan %j --json reports it as JSON",
    async (args) => {
      const { err } = await capstan(...args, "--json");
      expect(JSON.parse(err)).toEqual({
        code: expect.stringMatching(/^command_/),
        message: expect.any(String),
        nextStep: expect.any(String),
      });
    },
  );
});

describe("help", () => {
  test.each([[["help"]], [["--help"]], [["-h"]]])("capstan %j lists every command", async (args) => {
    expect((await capstan(...args)).out).toMatch(/^Usage: capstan <command>[\s\S]*\n {2}agents /);
  });
  test.each([[["agents", "--help"]], [["help", "agents"]], [["agents", "-h"]]])(
    "capstan %j is about that command",
    async (args) => {
      expect((await capstan(...args)).out).toMatch(/^Usage: capstan agents /);
    },
  );
  test("capstan serve --help is about the server", async () => {
    expect((await capstan("serve", "--help")).out).toMatch(/^Usage: capstan serve /);
  });
});
