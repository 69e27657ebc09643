/** Queries of lists that are filtered by agent, status or text. */
import { BudgetQuery } from "./budgets.ts";
import { ActiveTokenQuery } from "./client-logins.ts";
import { ConnectionQuery } from "./connections.ts";
import { LoginQuery } from "./people.ts";
import { ReplayListQuery } from "./replays.ts";
import { TextCheckQuery } from "./text-checks.ts";

export const listQueries = {
  ActiveTokenQuery,
  BudgetQuery,
  ConnectionQuery,
  LoginQuery,
  ReplayListQuery,
  TextCheckQuery,
};
