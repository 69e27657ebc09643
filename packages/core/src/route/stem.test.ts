import { expect, test } from "vitest";
import { stem } from "./stem.ts";

// From the tables of Porter's paper.
test.each([
  ["caresses", "caress"],
  ["ponies", "poni"],
  ["cats", "cat"],
  ["agreed", "agre"],
  ["plastered", "plaster"],
  ["motoring", "motor"],
  ["conflated", "conflat"],
  ["troubling", "troubl"],
  ["sized", "size"],
  ["hopping", "hop"],
  ["falling", "fall"],
  ["filing", "file"],
  ["happy", "happi"],
  ["relational", "relat"],
  ["conditional", "condit"],
  ["vietnamization", "vietnam"],
  ["sensibiliti", "sensibl"],
  ["triplicate", "triplic"],
  ["hopefulness", "hope"],
  ["adjustment", "adjust"],
  ["adoption", "adopt"],
  ["probate", "probat"],
  ["controlling", "control"],
  ["rolled", "roll"],
  ["yielding", "yield"],
])("%s becomes %s", (word, expected) => {
  expect(stem(word)).toBe(expected);
});

test.each(["a", "is", "42", "mp3", "größe", "天", "news"])("%s stays", (word) => {
  expect(stem(word)).toBe(word);
});
