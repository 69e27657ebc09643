/** Server state for React: one hook to read, one to change, and the keys by which changes refresh what is shown. */
import type { Result } from "@capstan/core";
import {
  keepPreviousData,
  QueryClient,
  type QueryKey,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useRef } from "react";
import { orThrow } from "./api.ts";
import { onRecovery } from "./reachability.ts";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 2_000, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});
onRecovery(() => void queryClient.invalidateQueries());

interface ReadOptions {
  /** The interval of rereading, for data that others change. */
  readonly everyMs?: number | undefined;
  readonly enabled?: boolean;
  readonly keepPrevious?: boolean;
}

export function useRead<T>(
  key: QueryKey,
  read: (signal: AbortSignal) => Promise<Result<T>>,
  { everyMs, enabled = true, keepPrevious = false }: ReadOptions = {},
): UseQueryResult<T> {
  return useQuery<T>({
    queryKey: key,
    queryFn: ({ signal }) => orThrow(read(signal)),
    enabled,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
    ...(keepPrevious && { placeholderData: keepPreviousData as never }),
  });
}

export interface CancellableChange<T, Input> {
  readonly change: UseMutationResult<T, Error, Input>;
  /** Ends the request; the server stops what it was doing for it. */
  readonly cancel: () => void;
}

/** A slow change that can be cancelled. Once cancelled, it has no effect. */
export function useCancellableChange<Input, T>(
  run: (input: Input, signal: AbortSignal) => Promise<Result<T>>,
  refreshes: readonly string[] = [],
): CancellableChange<T, Input> {
  const stop = useRef<AbortController>(undefined);
  const change = useChange((input: Input) => {
    stop.current?.abort();
    stop.current = new AbortController();
    return run(input, stop.current.signal);
  }, refreshes);
  return {
    change,
    cancel: () => {
      stop.current?.abort();
      change.reset();
    },
  };
}

/** `refreshes` names the first parts of the keys that this change makes stale. */
export function useChange<Input, T>(
  change: (input: Input) => Promise<Result<T>>,
  refreshes: readonly string[] = [],
): UseMutationResult<T, Error, Input> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => orThrow(change(input)),
    onSettled: () =>
      Promise.all(refreshes.map((first) => client.invalidateQueries({ queryKey: [first] }))).then(() => {}),
  });
}
