import { useLocale } from "use-intl";
import { bytes, number, shortNumber } from "./format";
import { UNKNOWN } from "./Time";

/** A number by locale; `short` writes "4.2M" with the whole one on hover. */
export function Figure({
  value,
  look = "whole",
}: {
  value: number | null | undefined;
  look?: "whole" | "short" | "bytes";
}) {
  const locale = useLocale();
  if (value === null || value === undefined) return <span className="mute">{UNKNOWN}</span>;
  const whole = number(value, locale);
  const shown = look === "short" ? shortNumber(value, locale) : look === "bytes" ? bytes(value, locale) : whole;
  return <span title={shown === whole ? undefined : whole}>{shown}</span>;
}
