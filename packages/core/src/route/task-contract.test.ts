import { expect, test } from "vitest";
import { readInput } from "../faults.ts";
import { TaskRequest } from "./task-contract.ts";

const read = (context: object) => readInput(TaskRequest, { task: "go", context });

test.each(["user_id", "userID", "UserId", "user-id", "userIds", "useId"])(
  "a context's %s is refused: passed over, the task would run with the caller's own rights",
  (name) => {
    expect(read({ [name]: "ann@example.com" })).toMatchObject({
      ok: false,
      where: expect.stringMatching(/^context: unknown field ".*(use|mean) "userId"/),
    });
  },
);

test("an empty userId is refused: it is what an unset variable leaves", () => {
  expect(read({ userId: "" })).toMatchObject({ ok: false, where: "context.userId must not be empty" });
});

test("what else stands in a context is the caller's own", () => {
  const context = { userId: "u_123", user: "Ann", tenant: { id: 5 } };
  expect(read(context)).toMatchObject({ ok: true, value: { context } });
});
