/** The attacks of one organisation on another, and where each is tested; a part of the security suite. */
import type { SecurityRow } from "./sharing-attacks.ts";

const ORGANISATIONS = "packages/server/src/security/organisations.live.test.ts";
const BODIES = "packages/server/src/security/ids-in-bodies.live.test.ts";
const MEMBERS = "packages/server/src/organisations/people-in-organisations.live.test.ts";
const PROGRAMS = "packages/server/src/organisations/programs-in-organisations.live.test.ts";
const ROWS = "packages/runtime/src/organisations/organisations.live.test.ts";

export const ORGANISATION_ATTACKS: readonly SecurityRow[] = [
  {
    attack: "another organisation's things, by any route, key, token, header or cookie",
    shownBy: [
      [ORGANISATIONS, "every route, asked by another organisation's admin"],
      [BODIES, "every field that can name a thing is tried here"],
      [ORGANISATIONS, "a key of one is nothing in another"],
      [ORGANISATIONS, "tokens of agents and runs belong to one"],
      [MEMBERS, "claims give a role in one and nothing in the other"],
      [MEMBERS, "an admin of one is nobody in the other"],
      [MEMBERS, "who leaves one has nothing left there within a second"],
    ],
  },
  {
    attack:
      "another organisation's rows, by a query that forgot its filter or a right that was granted by mistake",
    shownBy: [
      [ROWS, "a query without any filter"],
      [ROWS, "a query that names another organisation's table is refused"],
      [ROWS, "row-level security hides every row"],
      [ROWS, "stay in their own, also in transactions and after errors"],
    ],
  },
  {
    attack: "another organisation's files, users or ports, or the machine's, by a package or a coding agent",
    shownBy: [
      [PROGRAMS, "the same person's programs are another user in each"],
      [PROGRAMS, "a package cannot be read from the machine"],
      [PROGRAMS, "an MCP command sees no file of the machine"],
      [PROGRAMS, "a coding agent runs as a user of its organisation"],
      [PROGRAMS, "a coding agent with tools of its own is refused"],
    ],
  },
  {
    attack: "more than the operator allowed an organisation",
    shownBy: [
      [ORGANISATIONS, "only admins of the first make, bound and delete"],
      [ORGANISATIONS, "the operator bounds one by requests and by cost"],
      [ORGANISATIONS, "what runs with the machine's rights stays"],
    ],
  },
];
