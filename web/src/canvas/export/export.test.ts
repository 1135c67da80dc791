import { describe, expect, it } from "vitest";
import type { Picture } from "../records";
import { sceneOf } from "../scene/scene";
import { scaleFor } from "./png";
import { escaped, svgOf } from "./svg";
import { csvOf, mermaidOf } from "./texts";

const HOSTILE = `<img src=x onerror=alert(1)>"];\nend --> `;
const node = (key: string, title: string) => ({
  key,
  id: `dataset:${title}`,
  kind: "dataset",
  title,
  rest: "",
  namespace: "s3://lake",
  name: title,
  storage: "s3",
  columns: [],
  columns_total: 0,
  tags: [],
  more: { upstream: 0, downstream: 0 },
});
const PICTURE = {
  start: "a",
  nodes: [node("a", "orders"), node("b", HOSTILE)],
  flows: [
    {
      from: "a",
      to: "b",
      via: ["j"],
      via_total: 2,
      kinds: ["INDIRECT"],
      masked: false,
      current: false,
      origins: [],
      first_seen: null,
      last_seen: null,
      change: null,
    },
  ],
  jobs: [{ key: "j", id: "job:load", title: "=load" }],
  columns: [
    {
      from: "a",
      from_column: "=1+1",
      to: "b",
      to_column: "x",
      type: "DIRECT",
      subtype: "IDENTITY",
      masked: null,
      via: [],
      current: true,
    },
  ],
} as unknown as Picture;
const INKS = {
  ground: "#fff",
  surface: "#fff",
  line: "#ccc",
  ink: "#000",
  mute: "#555",
  edge: "#999",
  added: "g",
  removed: "r",
  changed: "y",
};

describe("a picture as a file", () => {
  it("as SVG is one well-formed document, whatever names are in it", () => {
    const scene = sceneOf(PICTURE, { jobs: "pills", open: new Set() });
    const places = Object.fromEntries(scene.items.map(({ id }, at) => [id, { x: at * 300, y: 0 }]));
    const { text, width } = svgOf({ scene, places, routes: {} }, PICTURE.columns, INKS);
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    expect(parsed.querySelector("img, script, parsererror")).toBeNull();
    expect(text).toContain("&lt;img");
    expect(text).toContain('stroke-dasharray="5 4"');
    expect(width).toBeGreaterThan(600);
    expect(escaped("a\u0000b\ud800")).toBe("a\ufffdb\ufffd");
  });

  it("as Mermaid has no character that could end a text", () => {
    const text = mermaidOf(PICTURE);
    expect(text).toContain('n0[("orders")]');
    expect(text).toMatch(/n0 -\.->\|"=load \+1"\| n1/);
    expect(text.split("\n")).toHaveLength(5);
    expect(text).not.toContain("<img");
  });

  it("as CSV has a line for each flow and each column edge, and no formula", () => {
    const lines = csvOf(PICTURE).split("\r\n");
    expect(lines[0]).toMatch(/^from,from_column,to,to_column,kind/);
    expect(lines.filter((line) => line.startsWith("dataset:orders"))).toHaveLength(2);
    expect(csvOf(PICTURE)).toContain("'=1+1");
  });

  it("as PNG is no larger than a browser can paint", () => {
    expect(scaleFor(500, 300)).toBe(2);
    expect(scaleFor(100_000, 500) * 100_000).toBeLessThanOrEqual(12_000);
    expect(scaleFor(10_000, 10_000) ** 2 * 1e8).toBeLessThanOrEqual(40_000_001);
  });
});
