import { type InfiniteData, useInfiniteQuery } from "@tanstack/react-query";
import { currentTenant, type Failure, type Query, request } from "@/api";
import type { PageOf } from "./records";

const PAGE = 200;

export interface Listed<T> {
  rows: readonly T[];
  total: number;
  /** Whether any answer has come yet. */
  known: boolean;
  error: Failure | null;
  isMore: boolean;
  isLoadingMore: boolean;
  more: () => void;
  again: () => void;
}

/** A list of the API, page after page. */
export function usePages<T>(path: string, query: Query, when = true): Listed<T> {
  const asked = useInfiniteQuery<PageOf<T>, Failure, InfiniteData<PageOf<T>>, readonly unknown[], string | null>({
    queryKey: [currentTenant(), path, "pages", query],
    queryFn: ({ pageParam, signal }) =>
      request<PageOf<T>>("GET", path, { query: { limit: PAGE, ...query, cursor: pageParam }, signal }),
    initialPageParam: null,
    getNextPageParam: (last) => last.next,
    enabled: when,
  });
  const pages = asked.data?.pages ?? [];
  return {
    rows: pages.flatMap((page) => page.items),
    total: pages[0]?.total ?? 0,
    known: asked.data !== undefined,
    error: asked.error,
    isMore: asked.hasNextPage,
    isLoadingMore: asked.isFetchingNextPage,
    more: () => void asked.fetchNextPage(),
    again: () => void asked.refetch(),
  };
}

const MOST_EXPORTED = 10_000;

/** All rows of a list up to ten thousand, for a file. */
export async function allRows<T>(path: string, query: Query): Promise<T[]> {
  const rows: T[] = [];
  let cursor: string | null = null;
  do {
    const page: PageOf<T> = await request<PageOf<T>>("GET", path, { query: { ...query, limit: 1000, cursor } });
    rows.push(...page.items);
    cursor = page.next;
  } while (cursor && rows.length < MOST_EXPORTED);
  return rows;
}
