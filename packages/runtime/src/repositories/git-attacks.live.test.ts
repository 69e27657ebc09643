/**
 * A folder and a worktree whose files somebody hostile wrote. Whatever they hold, no git command of ours runs a program for
 * them: each leaves a mark where it ran.
 */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { gitIn, machinesOn, OWNER, put } from "./fixtures/machine.ts";
import type { Worktrees } from "./worktrees.ts";

const { newMachine } = machinesOn(freshPglite); // what git does is the same on both
let machine: string;
let folder: string;
let mark: string;
let session: string;
let worktrees: Worktrees;
beforeEach(async () => {
  ({ machine, folder, session, worktrees } = await newMachine({
    "a.txt": "before\n",
    "sub/b.txt": "before\n",
  }));
  mark = join(machine, "mark");
  put(machine, { "evil.sh": `#!/bin/sh\necho "$0 $*" >> ${mark}\ncat\n` });
  chmodSync(join(machine, "evil.sh"), 0o755);
});

const git = (...args: string[]) => gitIn(folder, ...args);
const evil = () => join(machine, "evil.sh");
const config = (at: string, text: string) =>
  appendFileSync(join(at, "config"), text.replaceAll("EVIL", evil()));

/** Every git command there is: a run, a look, another run, and the change applied or thrown away. */
async function work(plant: (at: string) => void): Promise<string[]> {
  const codes: string[] = [];
  const note = (result: { ok: boolean; failure?: { code: string } }) =>
    codes.push(result.failure?.code ?? "ok");
  const use = (run: (at: string) => void) =>
    worktrees.use({ sessionId: session, folder, owner: undefined }, async (at) => run(at));
  note(await use(plant));
  note(await worktrees.read(session));
  note(await use((at) => writeFileSync(join(at, "a.txt"), "after\n")));
  note(await worktrees.apply(session, { by: OWNER, message: "apply" }));
  note(await use((at) => writeFileSync(join(at, "sub", "b.txt"), "after\n")));
  note(await worktrees.discard(session, OWNER));
  return codes;
}
const PROGRAMS = `
[core]
  fsmonitor = EVIL
  hooksPath = EVIL-hooks
  pager = EVIL
  editor = EVIL
  sshCommand = EVIL
  alternateRefsCommand = EVIL
[diff]
  external = EVIL
[diff "evil"]
  textconv = EVIL
  command = EVIL
[gpg]
  program = EVIL
[commit]
  gpgSign = true
[merge]
  verifySignatures = true
`;
const FILTERS = '[filter "evil"]\n  clean = EVIL\n  smudge = EVIL\n  process = EVIL\n  required = true\n';
const ATTRIBUTES = "* filter=evil diff=evil merge=evil ident\n";

const IN_WORKTREE: Record<string, (at: string) => void> = {
  "a .git folder with programs in its config": (at) => {
    rmSync(join(at, ".git"), { recursive: true });
    mkdirSync(join(at, ".git", "hooks"), { recursive: true });
    config(join(at, ".git"), PROGRAMS + FILTERS);
    put(at, { ".gitattributes": ATTRIBUTES, ".git/HEAD": "ref: refs/heads/main\n" });
  },
  "a .git file that names a repository of its own": (at) => {
    const other = join(machine, "other");
    execFileSync("git", ["init", "-q", other]);
    config(join(other, ".git"), PROGRAMS + FILTERS);
    put(at, { ".git": `gitdir: ${other}/.git\n`, ".gitattributes": ATTRIBUTES });
  },
  "submodules with commands, and a repository inside": (at) => {
    const inner = join(at, "inner");
    execFileSync("git", ["init", "-q", inner]);
    config(join(inner, ".git"), PROGRAMS + FILTERS);
    put(at, {
      ".gitmodules": `[submodule "inner"]\n  path = inner\n  url = ext::${evil()}\n  update = !${evil()}\n`,
      "inner/.gitattributes": ATTRIBUTES,
      "inner/file": "text",
    });
  },
  "names that look like options, and links in place of git's own files": (at) => {
    put(at, { "--upload-pack=x": "", "-c": "", ":(glob)*": "", "new\nline": "" });
    symlinkSync("/etc/passwd", join(at, ".gitattributes"));
    symlinkSync("/etc/passwd", join(at, ".gitignore"));
    symlinkSync("/etc/passwd", join(at, ".mailmap"));
  },
};

test.each(Object.entries(IN_WORKTREE))("a program would run as the server by %s", async (_, plant) => {
  const codes = await work(plant);
  expect(existsSync(mark)).toBe(false);
  expect(codes[1]).toBe("ok");
});

test("a program would run as the server by hooks, monitors and viewers in the folder's own .git", async () => {
  config(join(folder, ".git"), PROGRAMS);
  mkdirSync(join(machine, "evil.sh-hooks"));
  const names = readdirSync(join(folder, ".git", "hooks")).map((name) => name.replace(/\.sample$/, ""));
  for (const hooks of [join(folder, ".git", "hooks"), join(machine, "evil.sh-hooks")])
    for (const name of [
      ...names,
      "post-checkout",
      "post-merge",
      "post-index-change",
      "reference-transaction",
    ]) {
      put(hooks, { [name]: `#!/bin/sh\necho ${name} >> ${mark}\n` });
      chmodSync(join(hooks, name), 0o755);
    }
  put(folder, { ".gitattributes": "* diff=evil\n" });
  const codes = await work((at) => writeFileSync(join(at, "new.txt"), "new\n"));
  expect(codes.slice(0, 4)).toEqual(["ok", "ok", "ok", "ok"]);
  expect(existsSync(mark)).toBe(false);
});

test.each([
  ["a filter", FILTERS],
  ["a merge driver", '[merge "evil"]\n  driver = EVIL %O %A %B\n'],
  ["a filter in a file that it includes", "[include]\n  path = EVIL.config\n"],
  ["a filter in a file that it includes for this folder", '[includeIf "gitdir:**"]\n  path = EVIL.config\n'],
  ["a filter for worktrees alone", '[includeIf "gitdir:**/worktrees/**"]\n  path = EVIL.config\n'],
  ["a filter for other branches than this one", '[IncludeIf "onbranch:c**"]\n  Path = EVIL.config\n'],
  ["a filter for worktrees in a file that it includes", "[include]\n  path = EVIL-worktrees.config\n"],
])("%s in the folder's .git/config would run as the server", async (_, text) => {
  config(join(folder, ".git"), text);
  const worktreesOnly = '[includeIf "gitdir:**/worktrees/**"]\n  path = EVIL.config\n';
  put(machine, {
    "evil.sh.config": FILTERS.replaceAll("EVIL", evil()),
    "evil.sh-worktrees.config": worktreesOnly.replaceAll("EVIL", evil()),
  });
  put(join(folder, ".git", "info"), { attributes: ATTRIBUTES });
  const codes = await work((at) => put(at, { "a.txt": "mine\n", ".gitattributes": ATTRIBUTES }));
  expect(existsSync(mark)).toBe(false);
  expect(codes[0]).toBe("folder_unusable");
});

const pipe = (path: string) => {
  mkdirSync(dirname(path), { recursive: true });
  execFileSync("mkfifo", [path]);
};
const PIPES: Record<string, (at: string) => void> = {
  "a pipe in place of .gitignore": (at) => pipe(join(at, ".gitignore")),
  "a pipe in place of .gitattributes in a subfolder": (at) => {
    pipe(join(at, "sub", ".gitattributes"));
    writeFileSync(join(at, "sub", "b.txt"), "after\n");
  },
  "a pipe in a repository inside": (at) => pipe(join(at, "inner", ".git", "HEAD")),
  "a link to a pipe in a repository inside": (at) => {
    pipe(join(at, "pipe"));
    mkdirSync(join(at, "inner", ".git"), { recursive: true });
    symlinkSync("../../pipe", join(at, "inner", ".git", "HEAD"));
  },
  "a linked repository inside": (at) => {
    pipe(join(at, "other", "HEAD"));
    mkdirSync(join(at, "inner"));
    symlinkSync("../other", join(at, "inner", ".git"));
  },
};

test.each(Object.entries(PIPES))("a session would stand still by %s", async (_, plant) => {
  const [, , , applied, , discarded] = await work(plant);
  expect(applied).toBe("folder_git_failed");
  expect(discarded).toBe("ok");
});

test("a missing object would be fetched by a command in the folder's .git/config", async () => {
  const tree = git("rev-parse", "HEAD:a.txt");
  config(
    join(folder, ".git"),
    `[extensions]\n  partialClone = evil\n[remote "evil"]\n  url = ext::EVIL\n  promisor = true\n[protocol "ext"]\n  allow = always\n[core]\n  repositoryFormatVersion = 1\n`,
  );
  rmSync(join(folder, ".git", "objects", tree.slice(0, 2), tree.slice(2)), { force: true });
  await work((at) => writeFileSync(join(at, "new.txt"), "new\n"));
  expect(existsSync(mark)).toBe(false);
});
