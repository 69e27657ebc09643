/**
 * Messages that the router handled: they match a capability's `chatPatterns`. They are not part of the session, so the page
 * keeps them while it is open, at the position where they were sent.
 */
import type { TaskAnswer, TaskRequest } from "@capstan/client";
import type { Failure } from "@capstan/core";
import { useSyncExternalStore } from "react";
import { api } from "../../server/api.ts";
import type { Outgoing } from "./send-message.ts";

export interface RoutedMessage {
  readonly id: number;
  readonly text: string;
  readonly capabilityId: string;
  readonly outcome:
    | { readonly kind: "running" }
    | { readonly kind: "answered"; readonly answer: TaskAnswer }
    | { readonly kind: "refused"; readonly failure: Failure };
}

const NONE: readonly RoutedMessage[] = [];
const bySession = new Map<string, readonly RoutedMessage[]>();
const listeners = new Set<() => void>();
let lastId = 0;

export const useRouted = (sessionId: string): readonly RoutedMessage[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => bySession.get(sessionId) ?? NONE,
  );

/** A text that matches a capability's patterns goes to the router; with files it goes to the agent. */
export async function takenByRouter(sessionId: string, { text, files }: Outgoing): Promise<boolean> {
  if (files.length > 0) return false;
  const explained = await api.route.explain({ task: text, top_k: 1 });
  const capabilityId = explained.ok ? explained.value.chat?.capability_id : undefined; // a router that is away has no say
  if (capabilityId === undefined) return false;
  void route(sessionId, text, capabilityId);
  return true;
}

async function route(sessionId: string, text: string, capabilityId: string): Promise<void> {
  const id = ++lastId;
  change(sessionId, (all) => [...all, { id, text, capabilityId, outcome: { kind: "running" } }]);
  await execute(sessionId, id, { task: text });
}

/** Runs exactly the plan that was proposed for a message. */
export async function confirmRouted(
  sessionId: string,
  message: RoutedMessage,
  confirm: string,
): Promise<void> {
  const { id, text } = message;
  change(sessionId, (all) =>
    all.map((each) => (each.id === id ? { ...each, outcome: { kind: "running" } } : each)),
  );
  await execute(sessionId, id, { task: text, confirm });
}

async function execute(sessionId: string, id: number, request: TaskRequest): Promise<void> {
  const answered = await api.route.execute(request);
  const outcome: RoutedMessage["outcome"] = answered.ok
    ? { kind: "answered", answer: answered.value }
    : { kind: "refused", failure: answered.failure };
  change(sessionId, (all) => all.map((each) => (each.id === id ? { ...each, outcome } : each)));
}

export function forgetRouted(sessionId: string, id: number): void {
  change(sessionId, (all) => all.filter((each) => each.id !== id));
}

function change(sessionId: string, make: (all: readonly RoutedMessage[]) => readonly RoutedMessage[]): void {
  bySession.set(sessionId, make(bySession.get(sessionId) ?? NONE));
  for (const listener of listeners) listener();
}
