/** Figures as people read them; pure, by locale. */

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** "3 hours ago", "in 2 minutes", "now". */
export function relativeTime(at: number, now: number, locale: string): string {
  const seconds = (at - now) / 1000;
  const format = new Intl.RelativeTimeFormat(locale, { numeric: "auto", style: "long" });
  for (const [unit, size] of UNITS)
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  return format.format(0, "second");
}

/** "3 h", "41 d": the age alone, for places that are narrow. */
export function age(at: number, now: number, locale: string): string {
  const seconds = Math.max(0, (now - at) / 1000);
  const [unit, size] =
    UNITS.find(([name, length]) => name !== "month" && seconds >= length) ?? (["second", 1] as const);
  const value = Math.trunc(seconds / size);
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit,
    unitDisplay: unit === "minute" ? "short" : "narrow",
  }).format(value);
}

/** Date and time to the second with the offset from UTC. */
export function exactTime(at: number, locale: string, timeZone?: string): string {
  return new Intl.DateTimeFormat(locale, {
    dateStyle: "medium",
    timeStyle: "long",
    ...(timeZone ? { timeZone } : {}),
  }).format(at);
}

const PARTS: readonly [Intl.NumberFormatOptions["unit"] & string, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
];

/** "2 min, 5 sec": the two largest units that count; below a second in milliseconds. */
export function duration(milliseconds: number, locale: string): string {
  const unit = (value: number, name: string, digits = 0) =>
    new Intl.NumberFormat(locale, {
      style: "unit",
      unit: name,
      unitDisplay: "short",
      maximumFractionDigits: digits,
    }).format(value);
  const whole = Math.max(0, milliseconds);
  if (whole < 1000) return unit(Math.round(whole), "millisecond");
  if (whole < 10_000) return unit(whole / 1000, "second", 1);
  const found: string[] = [];
  let rest = whole;
  for (const [name, size] of PARTS) {
    const count = Math.floor(rest / size);
    if (count > 0) found.push(unit(count, name));
    else if (found.length > 0) break;
    rest -= count * size;
    if (found.length === 2) break;
  }
  return found.join(" ");
}

export function number(value: number, locale: string): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(value);
}

/** "4.2M". */
export function shortNumber(value: number, locale: string): string {
  return new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 }).format(value);
}

const SIZES = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"] as const;

/** "1.2 MB", in steps of a thousand. */
export function bytes(value: number, locale: string): string {
  const place = value < 1000 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log10(value) / 3));
  const unit = SIZES[place] ?? "byte";
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit,
    unitDisplay: "short",
    maximumFractionDigits: place ? 1 : 0,
  }).format(value / 1000 ** place);
}

/** A name cut in the middle, so that both ends, which tell it apart, stay. Never cuts a character in two. */
export function cutMiddle(name: string, most: number): string {
  const letters = Array.from(name.length > 4 * most ? `${name.slice(0, 2 * most)}${name.slice(-2 * most)}` : name);
  if (letters.length <= most && name.length <= 4 * most) return name;
  const head = Math.ceil((most - 1) / 2);
  const tail = most - 1 - head;
  return `${letters.slice(0, head).join("")}…${tail > 0 ? letters.slice(-tail).join("") : ""}`;
}

/** The beginning of a message: what went wrong stands there. Never cuts a character in two. */
export function cutEnd(text: string, most: number): string {
  const letters = Array.from(text.slice(0, 2 * most + 2));
  return letters.length <= most
    ? text
    : `${letters
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`;
}

/** A CSV cell: quoted where needed, and never taken for a formula by a spreadsheet. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const plain = String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csv(header: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return [header, ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n");
}
