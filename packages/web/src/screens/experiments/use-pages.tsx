/** A list that is loaded page by page, on demand. */
import type { Page } from "@capstan/client";
import type { Result } from "@capstan/core";
import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "../../kit/button.tsx";
import { orThrow } from "../../server/api.ts";

type Read<T> = (page: { limit: number; cursor?: string }, signal: AbortSignal) => Promise<Result<Page<T>>>;

const AT_ONCE = 100;

export function usePages<T>(key: QueryKey, read: Read<T>, everyMs?: number) {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      orThrow(read({ limit: AT_ONCE, ...(pageParam !== undefined && { cursor: pageParam }) }, signal)),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page<T>) => page.next_cursor,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
  const more: ReactNode = query.hasNextPage && (
    <Button
      className="self-center"
      busy={query.isFetchingNextPage}
      doing="Loading…"
      onClick={() => void query.fetchNextPage()}
    >
      Show more
    </Button>
  );
  const data = query.data?.pages.flatMap(({ items }) => items);
  return {
    query: { data, isError: query.isError, error: query.error, refetch: query.refetch },
    more,
  };
}
