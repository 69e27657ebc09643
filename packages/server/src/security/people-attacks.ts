/** The rows of the suite about people who sign in, what they gave out, and clients that they allowed. */
import type { SecurityRow } from "./sharing-attacks.ts";

const OUTLIVED = "packages/server/src/security/outlived-rights.live.test.ts";

const MIX_UP = "packages/server/src/security/mix-up.live.test.ts";
const BUDGETS = "packages/server/src/security/budget-attacks.live.test.ts";
const ADDRESSES = "packages/server/src/security/secrets-and-addresses.live.test.ts";

export const PEOPLE_ATTACKS: readonly SecurityRow[] = [
  {
    attack: "another authorization server's code",
    shownBy: [
      [MIX_UP, "would be sent the code of an honest one that does not name itself"],
      [MIX_UP, "would be believed where the honest one always names itself"],
    ],
  },
  {
    attack: "what outlives the right it was made with",
    shownBy: [
      [OUTLIVED, "who may only read any more would still run agents"],
      [OUTLIVED, "a link that somebody made would show the session after they left"],
    ],
  },
  {
    attack: "a client that reads more than it was allowed",
    shownBy: [
      [OUTLIVED, "a client that may use an agent would read what the person says to it elsewhere"],
      [OUTLIVED, "a thread of the same name would be another client's conversation"],
    ],
  },
  {
    attack: "a stored secret that is sent to another address",
    shownBy: [
      [ADDRESSES, "the operator's model key would be sent to an address that an admin names"],
      [ADDRESSES, "a key that one admin saved would be sent to an address that another names"],
      [ADDRESSES, "users' accounts would follow a provider to hosts that an admin names later"],
      [ADDRESSES, "the client's secret would follow a provider to another token endpoint"],
      [ADDRESSES, "an organisation's admin would reach the machine's ports as a model server"],
    ],
  },
  {
    attack: "spending around a budget",
    shownBy: [
      [BUDGETS, "a budget of tokens would not count what a tool asks a model, or what ten calls at once ask"],
      [BUDGETS, "a task would have its gaps filled by a model that nobody may ask any more"],
      [BUDGETS, "a model without a known price would make pictures where dollars are counted"],
    ],
  },
];
