/** Queries of lists that are filtered by agent, status or text. */
import { BudgetQuery } from "./budgets.ts";
import { ActiveTokenQuery } from "./client-logins.ts";
import { ConnectionQuery, ConnectionUseQuery } from "./connections.ts";
import { DatasetVersionQuery } from "./datasets.ts";
import { LoginQuery } from "./people.ts";
import { ReplayListQuery } from "./replays.ts";
import { RevisionListQuery } from "./revisions.ts";
import { TextCheckQuery } from "./text-checks.ts";

export const listQueries = {
  ActiveTokenQuery,
  BudgetQuery,
  ConnectionQuery,
  ConnectionUseQuery,
  DatasetVersionQuery,
  LoginQuery,
  ReplayListQuery,
  RevisionListQuery,
  TextCheckQuery,
};
