import { type RefObject, useId, useLayoutEffect, useRef, useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import styles from "./Chart.module.css";
import { exactTime } from "./format";
import { marks, markText, roomFor } from "./scale";
import { UNKNOWN } from "./Time";

export type Ink = "accent" | "ok" | "running" | "failed" | "stale" | "mute";

export interface Series {
  title: string;
  ink: Ink;
  /** One value for each moment; null where there is none. */
  values: readonly (number | null)[];
}

export interface ChartProps {
  /** What is drawn, as a sentence for those who do not see it. */
  label: string;
  /** ISO times, oldest first. */
  at: readonly string[];
  series: readonly Series[];
  /** Bars of one moment stand on each other; lines are drawn over each other. */
  look?: "bars" | "line";
  height?: number;
  print?: (value: number) => string;
  onChoose?: (place: number) => void;
}

const WIDTH = 600;
const BOTTOM = 18;

/** A small chart over time with its figures on hover and as a table for screen readers. */
export function Chart({ label, at, series, look = "bars", height = 120, print, onChoose }: ChartProps) {
  const locale = useLocale();
  const words = useTranslations("parts.chart");
  const id = useId();
  const [over, setOver] = useState<number | null>(null);
  const sums = at.map((_, place) => series.reduce((sum, one) => sum + (one.values[place] ?? 0), 0));
  const singles = series.flatMap((one) => one.values.map((value) => value ?? 0));
  const lines = marks(Math.max(0, ...(look === "bars" ? sums : singles)) || 1);
  const top = lines.at(-1) ?? 1;
  const shown = print ?? ((value: number) => markText(value, lines[1] ?? 1, locale));
  const box = useRef<HTMLElement>(null);
  const width = useWidth(box);
  const left = roomFor(lines.map(shown));
  const inside = height - BOTTOM - 6;
  const step = (width - left) / Math.max(1, at.length);
  const x = (place: number) => left + place * step;
  const y = (value: number) => 6 + inside * (1 - value / top);
  if (at.length === 0) return <p className="mute">{words("none")}</p>;
  const moment = over === null ? null : at[over];
  return (
    <figure className={styles.chart} ref={box}>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-labelledby={id} className={styles.svg}>
        <title id={id}>{label}</title>
        {lines.map((line) => (
          <g key={line}>
            <line x1={left} x2={width} y1={y(line)} y2={y(line)} className={styles.line} />
            <text x={left - 6} y={y(line) + 4} className={styles.mark}>
              {shown(line)}
            </text>
          </g>
        ))}
        {look === "line"
          ? series.map((one) => (
              <path
                key={one.title}
                className={`${styles.stroke} ${styles[one.ink]}`}
                d={lineOf(one.values, (place) => x(place) + step / 2, y)}
              />
            ))
          : at.map((time, place) => (
              <Bar
                key={time}
                place={place}
                series={series}
                x={x(place)}
                width={Math.max(1, step - Math.min(3, step / 4))}
                y={y}
              />
            ))}
        <text x={left} y={height - 4} className={styles.first}>
          {dayOf(at[0], locale)}
        </text>
        <text x={width} y={height - 4} className={styles.mark}>
          {dayOf(at.at(-1), locale)}
        </text>
        {at.map((time, place) => (
          <rect
            key={time}
            x={x(place)}
            y={0}
            width={step}
            height={height - BOTTOM}
            className={styles.hit}
            onPointerEnter={() => setOver(place)}
            onPointerLeave={() => setOver(null)}
            onClick={() => onChoose?.(place)}
          />
        ))}
      </svg>
      <figcaption className={styles.legend}>
        {moment && <span>{exactTime(Date.parse(moment), locale)}</span>}
        {series.map((one) => (
          <span key={one.title} className={styles.entry}>
            <i className={`${styles.swatch} ${styles[one.ink]}`} />
            {one.title}
            {over !== null && <b>{one.values[over] === null ? UNKNOWN : shown(one.values[over] ?? 0)}</b>}
          </span>
        ))}
      </figcaption>
      <table className="hidden-visually">
        <caption>{label}</caption>
        <tbody>
          {at.map((time, place) => (
            <tr key={time}>
              <th scope="row">{time}</th>
              {series.map((one) => (
                <td key={one.title}>{one.values[place] ?? ""}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}

/** Width of an element in pixels, so that letters in a drawing are as large as those around it. */
function useWidth(of: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(WIDTH);
  useLayoutEffect(() => {
    const element = of.current;
    if (!element) return;
    const watching = new ResizeObserver(([entry]) => {
      const wide = Math.round(entry?.contentRect.width ?? 0);
      if (wide > 0) setWidth(wide);
    });
    watching.observe(element);
    return () => watching.disconnect();
  }, [of]);
  return width;
}

function Bar({ place, series, x, width, y }: BarProps) {
  const values = series.map((one) => Math.max(0, one.values[place] ?? 0));
  const below = values.map((_, index) => values.slice(0, index).reduce((sum, value) => sum + value, 0));
  return (
    <g>
      {series.map((one, index) => {
        const [value = 0, start = 0] = [values[index], below[index]];
        const height = Math.max(1, y(start) - y(start + value));
        return value === 0 ? null : (
          <rect key={one.title} x={x} width={width} y={y(start) - height} height={height} className={styles[one.ink]} />
        );
      })}
    </g>
  );
}

interface BarProps {
  place: number;
  series: readonly Series[];
  x: number;
  width: number;
  y: (value: number) => number;
}

/** An SVG path through the values; a missing one breaks the line. */
export function lineOf(
  values: readonly (number | null)[],
  x: (place: number) => number,
  y: (value: number) => number,
): string {
  let isDrawing = false;
  return values
    .map((value, place) => {
      if (value === null) {
        isDrawing = false;
        return "";
      }
      const command = isDrawing ? "L" : "M";
      const dot = !isDrawing && (values[place + 1] ?? null) === null ? "h4" : ""; // alone, so without a line
      isDrawing = true;
      return `${command}${x(place).toFixed(1)} ${y(value).toFixed(1)}${dot}`;
    })
    .join("");
}

function dayOf(at: string | undefined, locale: string): string {
  if (!at) return "";
  return new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }).format(
    Date.parse(at),
  );
}
