import type { components } from "@/api";

type Slot = components["schemas"]["LoadSlot"];

export interface Day {
  at: string[];
  /** Requests with events a minute. */
  rate: (number | null)[];
  p50: (number | null)[];
  p95: (number | null)[];
  lag: (number | null)[];
}

const HOUR = 3_600_000;
const QUARTER = 15 * 60_000;
const QUARTERS = 96;

/** The last 24 hours, quarter by quarter of an hour: requests are added up, of times and lags the worst counts. */
export function dayOf(slots: readonly Slot[], now: number): Day {
  const last = Math.floor(now / QUARTER);
  const day: Day = { at: [], rate: [], p50: [], p95: [], lag: [] };
  const byQuarter = new Map<number, Slot[]>();
  for (const slot of slots) {
    const quarter = Math.floor(Date.parse(slot.time) / QUARTER);
    byQuarter.set(quarter, [...(byQuarter.get(quarter) ?? []), slot]);
  }
  const first = Math.min(...byQuarter.keys());
  for (let quarter = last - QUARTERS + 1; quarter <= last; quarter += 1) {
    const found = byQuarter.get(quarter) ?? [];
    const requests = found.reduce((sum, slot) => sum + slot.requests, 0);
    day.at.push(new Date(quarter * QUARTER).toISOString());
    day.rate.push(quarter < first ? null : requests / 15);
    day.p50.push(worst(found.map((slot) => slot.p50_seconds)));
    day.p95.push(worst(found.map((slot) => slot.p95_seconds)));
    day.lag.push(worst(found.map((slot) => slot.lag_events)));
  }
  return day;
}

/** The last 24 hours of figures that the server has by the hour; hours without any count as nothing. */
export function hoursOf(
  items: readonly { at: string; events: number | null; refused: number | null }[],
  now: number,
): { at: string[]; events: number[]; refused: number[] } {
  const byHour = new Map(items.map((item) => [Math.floor(Date.parse(item.at) / HOUR), item]));
  const hours = Array.from({ length: 24 }, (_, place) => Math.floor(now / HOUR) - 23 + place);
  return {
    at: hours.map((hour) => new Date(hour * HOUR).toISOString()),
    events: hours.map((hour) => byHour.get(hour)?.events ?? 0),
    refused: hours.map((hour) => byHour.get(hour)?.refused ?? 0),
  };
}

function worst(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}
