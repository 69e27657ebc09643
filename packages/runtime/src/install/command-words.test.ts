import { expect, test } from "vitest";
import { commandWords } from "./command-words.ts";

test.each<[string, string[] | undefined]>([
  ["npx -y @scope/server", ["npx", "-y", "@scope/server"]],
  ["  node   server.js ", ["node", "server.js"]],
  ['node "/home/me/My Server/index.js" --flag', ["node", "/home/me/My Server/index.js", "--flag"]],
  ["node '/a b/c.js'", ["node", "/a b/c.js"]],
  ["node /a\\ b/c.js", ["node", "/a b/c.js"]],
  ['run "say \\"hi\\"" --x="a b"', ["run", 'say "hi"', "--x=a b"]],
  ["echo $HOME `id`", ["echo", "$HOME", "`id`"]],
  ["node C:\\tools\\server.js", ["node", "C:\\tools\\server.js"]],
  ["node 'it'\\''s here.js'", ["node", "it's here.js"]],
  ['node "unclosed', undefined],
  ["", []],
])("%s is read as %j", (line, words) => {
  expect(commandWords(line)).toEqual(words);
});
