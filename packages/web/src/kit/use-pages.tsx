/** A list that is loaded page by page, on demand. */
import type { Page } from "@capstan/client";
import type { Result } from "@capstan/core";
import { type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { orThrow } from "../server/api.ts";
import { Button } from "./button.tsx";

type Listed<T, Cursor> = Pick<Page<T>, "items"> & { next_cursor?: Cursor | undefined };
type Read<T, Cursor> = (
  page: { limit: number; cursor?: Cursor },
  signal: AbortSignal,
) => Promise<Result<Listed<T, Cursor>>>;

const AT_ONCE = 100;

export function usePages<T, Cursor extends string | number = string>(
  key: QueryKey,
  read: Read<T, Cursor>,
  everyMs?: number,
) {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) =>
      orThrow(
        read({ limit: AT_ONCE, ...(pageParam !== undefined && { cursor: pageParam as Cursor }) }, signal),
      ),
    initialPageParam: undefined as Cursor | undefined,
    getNextPageParam: (page: Listed<T, Cursor>) => page.next_cursor,
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
