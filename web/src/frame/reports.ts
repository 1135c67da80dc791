/** What the page measured of itself and what went wrong in it, told to the server now and then; bounded, never in the way. */

export type TimeKind = "load" | "picture" | "layout" | "frame";
export type ErrorKind = "thrown" | "rejected" | "drawn" | "policy";

export interface PageTime {
  kind: TimeKind;
  ms: number;
  nodes?: number;
}
export interface PageError {
  kind: ErrorKind;
  message: string;
  page: string;
}

const MOST_TIMES = 100;
const MOST_ERRORS = 10;
/** Errors of one page from its loading on: a loop must not report for ever. */
const MOST_EVER = 100;
const LONGEST_MS = 600_000;
const LONGEST_MESSAGE = 2000;
const EVERY = 30_000;
const PATH = "/api/v2/page-reports";

/** What waits to be told. */
export class Reports {
  private times: PageTime[] = [];
  private errors: PageError[] = [];
  private ever = 0;

  time(kind: TimeKind, ms: number, nodes?: number): void {
    if (this.times.length >= MOST_TIMES || !(ms >= 0 && ms <= LONGEST_MS)) return;
    this.times.push({ kind, ms: Math.round(ms * 10) / 10, ...(nodes === undefined ? {} : { nodes }) });
  }

  error(kind: ErrorKind, message: string, page: string): void {
    this.ever += 1;
    if (this.errors.length >= MOST_ERRORS || this.ever > MOST_EVER) return;
    this.errors.push({ kind, message: message.slice(0, LONGEST_MESSAGE), page: page.slice(0, 200) });
  }

  /** Takes out what there is; null if there is nothing. */
  take(): { times: PageTime[]; errors: PageError[] } | null {
    if (this.times.length + this.errors.length === 0) return null;
    const taken = { times: this.times, errors: this.errors };
    this.times = [];
    this.errors = [];
    return taken;
  }
}

const reports = new Reports();
let pictureAsked: number | null = null;

export function reportTime(kind: TimeKind, ms: number, nodes?: number): void {
  reports.time(kind, ms, nodes);
}

export function reportError(kind: ErrorKind, error: unknown): void {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  reports.error(kind, message, location.pathname);
}

/** A picture is asked for; how long it took is told when it is laid out. */
export function pictureIsAsked(): void {
  pictureAsked ??= performance.now();
}

export function pictureIsDrawn(layoutMs: number, nodes: number): void {
  reportTime("layout", layoutMs, nodes);
  if (pictureAsked !== null) reportTime("picture", performance.now() - pictureAsked);
  pictureAsked = null;
}

function send(): void {
  const body = reports.take();
  if (body === null) return;
  void fetch(PATH, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    credentials: "same-origin",
    keepalive: true,
    body: JSON.stringify(body),
  }).catch(() => {}); // figures that are lost are no loss
}

/** Called once, when the page is loaded. */
export function startReports(): void {
  addEventListener("error", ({ error, message }) => reportError("thrown", error ?? message));
  addEventListener("unhandledrejection", ({ reason }) => reportError("rejected", reason));
  document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
    reportError("policy", `${violatedDirective}: ${blockedURI}`),
  );
  new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries())
      if (name === "first-contentful-paint") reportTime("load", startTime);
  }).observe({ type: "paint", buffered: true });
  setInterval(send, EVERY);
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && send());
}

/** Times between frames from `start` to `stop`; of each movement the one that 95 of 100 are within is told. */
export function frameMeter(): { start: () => void; stop: () => void } {
  let running = 0;
  let last = 0;
  let gaps: number[] = [];
  const tick = (now: number) => {
    if (last > 0 && gaps.length < 1000) gaps.push(now - last);
    last = now;
    running = requestAnimationFrame(tick);
  };
  return {
    start: () => {
      cancelAnimationFrame(running);
      [last, gaps] = [0, []];
      running = requestAnimationFrame(tick);
    },
    stop: () => {
      cancelAnimationFrame(running);
      gaps.sort((a, b) => a - b);
      const worst = gaps[Math.floor(gaps.length * 0.95)];
      if (worst !== undefined && gaps.length >= 5) reportTime("frame", worst);
      gaps = [];
    },
  };
}
