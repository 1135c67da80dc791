import {
  keepPreviousData,
  QueryCache,
  QueryClient,
  type UseQueryResult,
  useQueries,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { Failure, type Query, request } from "./client";
import type { paths } from "./schema";
import { currentTenant } from "./tenant";

/** The JSON answer of a GET route, as the server's description has it. */
export type AnswerOf<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { "application/json": infer A } } } };
}
  ? A
  : unknown;

/** The parameters of a GET route, as the server's description has them. */
export type QueryOf<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } }
  ? NonNullable<Q>
  : Query;

/** Who is signed in: the one question that somebody who is not may ask. */
export const SESSION = "/api/v2/session";
const FRESH = 15_000;
const LONGEST_WAIT = 30_000;

export function makeQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => {
        // the session has ended: whoever shows who is signed in asks again
        if (error instanceof Failure && error.kind === "signed_out" && queryKey[1] !== SESSION)
          void client.invalidateQueries({ predicate: (query) => query.queryKey[1] === SESSION });
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: FRESH,
        refetchOnWindowFocus: false,
        retry: (count, error) => count < 3 && error instanceof Failure && ["busy", "offline"].includes(error.kind),
        retryDelay: (count, error) => {
          const asked = error instanceof Failure ? error.retryAfter : null;
          return Math.min(LONGEST_WAIT, asked ? asked * 1000 : 500 * 2 ** count);
        },
      },
    },
  });
  return client;
}

export interface Asking {
  /** Ask only when true. */
  when?: boolean;
  /** Ask again every so many milliseconds. */
  every?: number;
  /** Show the answer before while the next one is on its way. */
  keep?: boolean;
}

/**
 * The answer of a GET route: loaded, kept, cancelled when nobody waits for it any more.
 * With a path of the server's description the answer has its type; with a path that has values in it, give the type.
 */
export function useAnswer<P extends keyof paths>(
  path: P,
  query?: QueryOf<P>,
  asking?: Asking,
): UseQueryResult<AnswerOf<P>, Failure>;
export function useAnswer<T>(path: string, query?: Query, asking?: Asking): UseQueryResult<T, Failure>;
export function useAnswer<T>(path: string, query: Query = {}, asking: Asking = {}): UseQueryResult<T, Failure> {
  return useQuery<T, Failure>({
    queryKey: [currentTenant(), path, query],
    queryFn: ({ signal }) => request<T>("GET", path, { query, signal }),
    enabled: asking.when ?? true,
    refetchInterval: asking.every ?? false,
    ...(asking.keep ? { placeholderData: keepPreviousData } : {}),
  });
}

/** The answers of one GET route to several queries, in their order; undefined where there is none yet. */
export function useAnswers<T>(path: string, queries: readonly Query[]): (T | undefined)[] {
  return useQueries({
    queries: queries.map((query) => ({
      queryKey: [currentTenant(), path, query],
      queryFn: ({ signal }: { signal: AbortSignal }) => request<T>("GET", path, { query, signal }),
    })),
    combine: dataOf<T>,
  });
}

function dataOf<T>(answers: UseQueryResult<T>[]): (T | undefined)[] {
  return answers.map(({ data }) => data);
}

/** Forget what is kept of these routes (by the beginning of their path), so that it is asked for again. */
export function useForget(): (start: string) => Promise<void> {
  const client = useQueryClient();
  return (start) =>
    client.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[1] ?? "").startsWith(start) });
}
