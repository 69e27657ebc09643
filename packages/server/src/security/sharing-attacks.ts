/** The rows of the suite about sharing, and the shape of every row. */

export interface SecurityRow {
  readonly attack: string;
  readonly shownBy: readonly (readonly [file: string, title: string])[];
}

const BLOCKED = "packages/server/src/security/blocked-by-one.live.test.ts";
const SHARING = "packages/server/src/security/sharing.live.test.ts";

export const SHARING_ATTACKS: readonly SecurityRow[] = [
  {
    attack: "one caller who uses up what everybody may ask without a key",
    shownBy: [
      [BLOCKED, "blocks nobody but itself"],
      [BLOCKED, "is not another caller by a forwarded address that it makes up"],
      [BLOCKED, "are counted by the address the proxy adds"],
      [BLOCKED, "all addresses of one IPv6 network are one caller"],
      [BLOCKED, "does not keep others from their own"],
    ],
  },
  {
    attack: "agents that are not shared, and more than a share gives",
    shownBy: [
      [SHARING, "a private agent would be found by another user, by one of fifteen ways in"],
      [SHARING, "an agent shared with one would be found by another"],
      [SHARING, "who may use it would list the tasks of its other users over A2A"],
      [SHARING, "who may use it would change, delete or share it"],
      [SHARING, "who may change it would use, delete or share it"],
      [SHARING, "who may approve would see more than the questions, or change what is asked"],
      [SHARING, "what is no longer shared would go on: sessions, an agent's token, a waiting question"],
      [SHARING, "a group would let in who is not in it"],
      [SHARING, "%s would be stored"],
    ],
  },
  {
    attack: "a session's link that shows or does more than reading",
    shownBy: [
      [SHARING, "would show calls of tools, what they returned, or any id"],
      [SHARING, "would work without its secret, after its end, or when it was revoked"],
      [SHARING, "would show files that nobody chose to show, or those of another session"],
      [SHARING, "would let its reader post, list, or do anything that a key may"],
      [SHARING, "would be made, listed or ended by somebody else"],
    ],
  },
];
