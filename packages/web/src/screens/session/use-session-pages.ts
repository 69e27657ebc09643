import type { Page, Session } from "@capstan/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { api, orThrow } from "../../server/api.ts";

const PAGE = 50;

/** Sessions page by page; `more` is there while there are older ones. */
export function useSessionPages(status: "" | "idle" | "running" | "waiting" | "failed") {
  const query = useInfiniteQuery({
    queryKey: ["sessions", "pages", status],
    queryFn: ({ pageParam, signal }) =>
      orThrow(
        api.sessions.list(
          { limit: PAGE, ...(pageParam && { cursor: pageParam }), ...(status && { status }) },
          signal,
        ),
      ),
    initialPageParam: "",
    getNextPageParam: (page: Page<Session>) => page.next_cursor,
  });
  return {
    query,
    sessions: query.data?.pages.flatMap(({ items }) => items),
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
  };
}
