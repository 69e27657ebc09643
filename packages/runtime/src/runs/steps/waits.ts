/** What a segment has to wait for: approvals, clients, other runs. */
import type { ApprovalExpiry, Interrupt } from "@capstan/core/internal";
import type { ApprovalKind } from "../approvals/approval-kind.ts";

/** An approval in the form of the commit statement. */
export interface ApprovalToStore {
  readonly id: string;
  /** `tool` when absent. */
  readonly kind?: ApprovalKind;
  readonly agent_id: string;
  readonly user_email: string;
  readonly capability_id: string;
  readonly tool: string;
  readonly call_id: string;
  readonly arguments: unknown;
  readonly pin: string;
  readonly assignee: string;
  readonly assignee_only?: boolean;
  readonly reason: string;
  readonly allowable: boolean;
  readonly expiry: unknown;
  readonly expires_at: string | null;
}

/** What a segment has to wait for, collected call by call. */
export interface Waits {
  /** The policy for requested approvals. */
  readonly expiry: ApprovalExpiry;
  readonly approvals: ApprovalToStore[];
  readonly interrupts: Interrupt[];
  readonly clientCalls: string[];
  readonly children: string[];
}

export const noWaits = (expiry: ApprovalExpiry): Waits => ({
  expiry,
  approvals: [],
  interrupts: [],
  clientCalls: [],
  children: [],
});

export const nothingWaits = ({ approvals, clientCalls, children }: Waits): boolean =>
  approvals.length + clientCalls.length + children.length === 0;
