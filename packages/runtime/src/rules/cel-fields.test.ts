import { type KnownTool, ruleFaults } from "@capstan/core/internal";
import { expect, test } from "vitest";
import { compileCel } from "./cel.ts";

const PAY: KnownTool = {
  name: "pay",
  ownName: "pay",
  capabilityId: "bank",
  risk: "irreversible",
  flow: { reads: [], writes: ["external"], usesSecrets: true, reachesAnyAddress: false },
  scopes: [],
  connections: [],
  inputSchema: {
    type: "object",
    required: ["to", "items"],
    properties: {
      amount: { type: "number" },
      to: { type: "array", items: { type: "string" } },
      order: { type: "object", properties: { total: { type: "integer" } } },
      items: { type: "array", items: { type: "object", properties: { sku: { type: "string" } } } },
    },
  },
};

test.each<[string, string[]]>([
  ["args.amount > 1.0", ["args.amount may be missing in a call of pay; write has(args.amount) && ..."]],
  ["has(args.amount) && args.amount > 1.0 && size(args.to) > 1", []],
  ['"amount" in args && args.amount > 1.0', []],
  ["has(args.amunt) && args.amunt > 1", ['no such argument "amunt"; did you mean amount?']],
  ['"amunt" in args', ['no such argument "amunt"; did you mean amount?']],
  ["args['amunt'] > 1", ['no such argument "amunt"; did you mean amount?']],
  [
    "has(args.order) && args.order.sum > 1",
    ['no such argument "order.sum"; there are amount, to, order, items'],
  ],
  [
    'has(args.order) && args["order"]["sum"] > 1',
    ['no such argument "order.sum"; there are amount, to, order, items'],
  ],
  ["has(args.order) && args.order.total > 1 && args.to.exists(a, a.size() > 1)", []],
  ['args.items.exists(i, i.sku.startsWith("x"))', []],
  ['args.items.exists(i, i.suk == "x")', ['no such argument "items.suk"; did you mean items.sku?']],
  ['args.items[0].suk == "x"', ['no such argument "items.suk"; did you mean items.sku?']],
  ['user in ["args.amunt"] && args.to.size() > 0', []],
])("%s is checked against the fields of the tools: %j", (expr, expected) => {
  const rule = { tools: ["pay"], when: [{ expr }], effect: "deny" as const };
  expect(ruleFaults(rule, [PAY], compileCel).map(({ message }) => message)).toEqual(expected);
});
