import { cutEnd } from "@/parts/format";
import { curve, type Point } from "../draw/curve";
import { bottomOf, drawnEdges, passagesOf, type Placed, rowOf, sideOf } from "../draw/ends";
import { storageColour } from "../draw/kinds";
import { marksOf } from "../draw/marks";
import { placeOf } from "../draw/place";
import type { LaidOut } from "../layout/useLayout";
import type { ColumnEdge } from "../records";
import { flowId } from "../scene/pick";
import type { Item, Line, LineLook, Scene } from "../scene/scene";
import { CARD_HEAD, MOST_ROWS, ROW } from "../scene/size";
import { boundsOf } from "../tools/bounds";

/** Colours of the theme that the drawing is made in. */
export interface Inks {
  ground: string;
  surface: string;
  line: string;
  ink: string;
  mute: string;
  edge: string;
  added: string;
  removed: string;
  changed: string;
}

const MARGIN = 32;

export function escaped(text: string): string {
  const clean = Array.from(text, (letter) => (isAllowed(letter.codePointAt(0) ?? 0) ? letter : "\ufffd")).join("");
  return clean.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Whether XML allows a character: no control characters, and no half of a pair. */
function isAllowed(code: number): boolean {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  return (code < 0xd800 || code > 0xdfff) && code !== 0xfffe && code !== 0xffff;
}

/** The picture as an SVG document of its own: no style sheet, no script, nothing from elsewhere. Pure. */
export function svgOf(
  { scene, places, routes }: Omit<LaidOut, "fresh">,
  edges: readonly ColumnEdge[],
  inks: Inks,
): { text: string; width: number; height: number } {
  const bounds = boundsOf({ scene, places }) ?? { x: 0, y: 0, width: 1, height: 1 };
  const [width, height] = [bounds.width + 2 * MARGIN, bounds.height + 2 * MARGIN].map(Math.ceil) as [number, number];
  const placed: Placed = {
    items: new Map(scene.items.map((item) => [item.id, item])),
    places,
    routes,
    scrolled: new Map(),
  };
  const text = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${bounds.x - MARGIN} ${bounds.y - MARGIN} ${width} ${height}" font-family="Inter, system-ui, sans-serif" font-size="13">`,
    `<rect x="${bounds.x - MARGIN}" y="${bounds.y - MARGIN}" width="${width}" height="${height}" fill="${inks.ground}"/>`,
    ...linesOf(scene, placed, edges, inks),
    ...scene.items.map((item) => itemOf(item, places, inks)),
    "</svg>",
  ].join("\n");
  return { text, width, height };
}

function linesOf(scene: Scene, placed: Placed, edges: readonly ColumnEdge[], inks: Inks): string[] {
  const byColumn = drawnEdges(placed, edges);
  const replaced = new Set(byColumn.map((edge) => flowId(edge.from, edge.to)));
  const found: string[] = [];
  for (const line of scene.lines) {
    if (line.flows.every((flow) => replaced.has(flowId(flow.from, flow.to)))) continue;
    const [from, to] = [sideOf(placed, line.from, "right"), sideOf(placed, line.to, "left")];
    if (from && to) found.push(stroke(pathOf(placed, line, from, to), line.look, inks));
  }
  for (const edge of byColumn) {
    const from = rowOf(placed, edge.from, edge.from_column, "right");
    const to = edge.to_column ? rowOf(placed, edge.to, edge.to_column, "left") : sideOf(placed, edge.to, "left");
    const kind = edge.type === "DIRECT" ? "direct" : "indirect";
    const look: LineLook = {
      kind,
      masked: edge.masked === true,
      current: edge.current,
      byHand: false,
      change: edge.change,
    };
    if (from && to) found.push(stroke(pathOf(placed, edge, from, to), look, inks));
  }
  return found;
}

function pathOf(placed: Placed, line: Pick<Line, "from" | "to">, from: Point, to: Point): string {
  return curve(from, to, to.x <= from.x + 8 ? bottomOf(placed, line) : 0, passagesOf(placed, line));
}

function stroke(path: string, look: LineLook, inks: Inks): string {
  const dashes =
    look.kind === "indirect" ? ' stroke-dasharray="5 4"' : look.kind === "unknown" ? ' stroke-dasharray="1.5 4"' : "";
  const faint = look.current ? "" : ' opacity="0.35"';
  return `<path d="${path}" fill="none" stroke="${look.change ? inks[look.change] : inks.edge}" stroke-width="1.5"${dashes}${faint}/>`;
}

function itemOf(item: Item, places: LaidOut["places"], inks: Inks): string {
  const place = places[item.id];
  if (!place) return "";
  const { x, y } = place;
  const { width, height } = item;
  const box = (round: number, line: string) =>
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${round}" fill="${inks.surface}" stroke="${line}"/>`;
  if (item.kind === "pill")
    return `<g>${box(12, inks.line)}${label(x + width / 2, y + 16, item.jobs[0]?.title ?? "", 26, inks.mute, 'font-size="12" text-anchor="middle"')}</g>`;
  if (item.kind === "group")
    return `<g>${box(8, inks.line)}${bar(x, y, height, item.storage)}${label(x + 14, y + 26, item.title, 30, inks.ink, 'font-weight="600"')}${label(x + 14, y + 46, `${item.members.length}`, 30, inks.mute, 'font-size="12"')}</g>`;
  const { node } = item;
  const rows = (item.rows ?? []).slice(0, MOST_ROWS).map((row, at) => {
    const down = y + CARD_HEAD + 4 + at * ROW + 15;
    const mono = 'font-size="12" font-family="monospace"';
    return `${label(x + 14, down, row.name, 22, inks.mute, mono)}${label(x + width - 10, down, row.type ?? "", 12, inks.mute, `${mono} text-anchor="end"`)}`;
  });
  const marks = marksOf(node).map(({ code, text }) => text ?? code.toUpperCase());
  return [
    `<g>${box(8, node.change ? inks[node.change] : inks.line)}`,
    bar(x, y, height, node.storage),
    label(x + 14, y + 22, node.title, 30, inks.ink, 'font-weight="600"'),
    label(
      x + 14,
      y + 40,
      cutEnd([...marks, node.storage, placeOf(node)].filter(Boolean).join(" "), 34),
      34,
      inks.mute,
      'font-size="12"',
    ),
    ...rows,
    "</g>",
  ].join("");
}

function bar(x: number, y: number, height: number, storage: string | null): string {
  return `<rect x="${x}" y="${y}" width="4" height="${height}" rx="2" fill="${storageColour(storage)}"/>`;
}

function label(x: number, y: number, text: string, most: number, ink: string, more: string): string {
  const letters = [...text];
  const shown =
    letters.length <= most ? text : `${letters.slice(0, most / 2).join("")}…${letters.slice(-most / 2 + 1).join("")}`;
  return `<text x="${x}" y="${y}" fill="${ink}" ${more}>${escaped(shown)}</text>`;
}
