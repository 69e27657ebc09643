/**
 * Options of an A2A request besides its message. They are validated, because a client would wait for an option that
 * was ignored.
 */
import type { AgentCard, ListTasksRequest, SendMessageRequest } from "@a2a-js/sdk";
import { TaskState } from "@a2a-js/sdk";
import {
  ContentTypeNotSupportedError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
} from "@a2a-js/sdk/errors";

const PAGE = 50;

/** Options without effect are refused, not ignored: the client would wait for them. */
export function checkConfiguration(
  configuration: SendMessageRequest["configuration"],
  card: AgentCard,
): void {
  if (!configuration) return;
  const { taskPushNotificationConfig, acceptedOutputModes, historyLength } = configuration;
  if (taskPushNotificationConfig) throw new PushNotificationNotSupportedError(NO_PUSH);
  const offered = card.defaultOutputModes;
  const isAccepted = (mode: string) => offered.some((type) => matchesType(type, mode));
  if (acceptedOutputModes.length > 0 && !acceptedOutputModes.some(isAccepted))
    throw new ContentTypeNotSupportedError(
      `acceptedOutputModes: this agent answers with ${offered.join(", ")}, not with ${acceptedOutputModes.join(", ")}.`,
    );
  if ((historyLength ?? 0) < 0) throw new RequestMalformedError("historyLength must be at least 0");
}

/** `text/*` and `text` accept `text/plain`; parameters of a type do not matter. */
function matchesType(type: string, accepted: string): boolean {
  const [wanted = ""] = accepted.toLowerCase().split(";");
  const [kind = "", name = "*"] = wanted.trim().split("/");
  const [ofKind, ofName] = type.split("/");
  return (kind === "*" || kind === ofKind) && (name === "*" || name === ofName);
}

export function pageOf({
  pageSize = PAGE,
  pageToken,
  historyLength,
  statusTimestampAfter,
}: ListTasksRequest) {
  if (!/^\d{0,9}$/.test(pageToken))
    throw new RequestMalformedError("pageToken: send back a nextPageToken of this list");
  if (pageSize < 1 || pageSize > 100) throw new RequestMalformedError("pageSize must be between 1 and 100");
  if ((historyLength ?? 0) < 0) throw new RequestMalformedError("historyLength must be at least 0");
  if (statusTimestampAfter !== undefined && Number.isNaN(Date.parse(statusTimestampAfter)))
    throw new RequestMalformedError("statusTimestampAfter: expected a time as in ISO 8601");
  return { at: Number(pageToken), limit: pageSize, changedAfter: statusTimestampAfter ?? null };
}

/** Null for every status; undefined for one that our tasks never have. */
export const storedStatus = (status: TaskState): string | null | undefined =>
  status === TaskState.TASK_STATE_UNSPECIFIED ? null : STATUSES[status];

export const NO_PUSH = "Set a webhook with the message over the server's own API instead.";

const STATUSES: Partial<Record<TaskState, string>> = {
  [TaskState.TASK_STATE_SUBMITTED]: "queued",
  [TaskState.TASK_STATE_WORKING]: "running",
  [TaskState.TASK_STATE_INPUT_REQUIRED]: "waiting",
  [TaskState.TASK_STATE_AUTH_REQUIRED]: "waiting",
  [TaskState.TASK_STATE_COMPLETED]: "done",
  [TaskState.TASK_STATE_FAILED]: "failed",
  [TaskState.TASK_STATE_CANCELED]: "cancelled",
};
