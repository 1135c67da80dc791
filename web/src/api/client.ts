import { currentTenant } from "./tenant";

export type Query = Record<string, string | number | boolean | null | undefined | readonly (string | number)[]>;

/** What a page can do about a failure; each has a state of its own in `parts/Answer.tsx`. */
export type FailureKind =
  "offline" | "signed_out" | "forbidden" | "not_found" | "refused" | "busy" | "too_large" | "failed";

/** An answer other than the one asked for, with what the server says about it. */
export class Failure extends Error {
  override readonly name = "Failure";
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly status = 0,
    readonly code = kind as string,
    readonly hint: string | null = null,
    /** Seconds after which to try again. */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }
}

const BY_STATUS: Record<number, FailureKind> = {
  401: "signed_out",
  403: "forbidden",
  404: "not_found",
  413: "too_large",
  429: "busy",
  502: "offline",
  503: "busy",
  504: "too_large",
  507: "too_large",
};

export function kindOf(status: number): FailureKind {
  return BY_STATUS[status] ?? (status < 500 ? "refused" : "failed");
}

/** The path with its query: null and undefined are left out, lists are repeated. */
export function addressOf(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one));
  }
  const text = search.toString();
  return text ? `${path}?${text}` : path;
}

export interface Sending {
  query?: Query | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

/** One request; resolves to the decoded answer (null where there is none), rejects with a `Failure`. */
export async function request<T>(method: string, path: string, { query, body, signal }: Sending = {}): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json" };
  const tenant = currentTenant();
  if (tenant) headers["X-Headwater-Tenant"] = tenant;
  const init: RequestInit = { method, headers, credentials: "same-origin" };
  if (signal) init.signal = signal;
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  let response: Response;
  try {
    response = await fetch(addressOf(path, query), init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Failure("offline", error instanceof Error ? error.message : String(error));
  }
  if (!response.ok) throw await failureOf(response);
  const text = await response.text();
  return (text ? JSON.parse(text) : null) as T;
}

export async function failureOf(response: Response): Promise<Failure> {
  let said: { error?: string; message?: string; hint?: string } = {};
  try {
    said = await response.json();
  } catch {
    // the answer of something between us and the server
  }
  const wait = Number(response.headers.get("retry-after"));
  return new Failure(
    kindOf(response.status),
    said.message ?? `${response.status} ${response.statusText}`,
    response.status,
    said.error ?? String(response.status),
    said.hint ?? null,
    Number.isFinite(wait) && wait > 0 ? wait : null,
  );
}
