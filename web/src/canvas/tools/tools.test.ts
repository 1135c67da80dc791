import { describe, expect, it } from "vitest";
import type { Picture, PictureNode } from "../records";
import { found } from "./find";
import { hoverSentence } from "./hover";
import { type ChangeItem, momentBeside, momentsOf } from "./moments";
import { noticeOf } from "./noticeOf";
import { coveredAt } from "./bounds";
import { readPlace } from "./useStageControl";

const node = (key: string, title: string, columns: string[] = []) =>
  ({
    key,
    title,
    rest: "",
    namespace: "s3://lake",
    name: title,
    tags: [],
    columns: columns.map((name) => ({ name })),
  }) as unknown as PictureNode;

it("finds cards first, those that begin with the word before the rest, then columns", () => {
  const nodes = [node("a", "old_orders", ["order_id"]), node("b", "orders"), node("c", "customers", ["order_day"])];
  expect(found(nodes, "ORD").map(({ key, column }) => column ?? key)).toEqual(["b", "a", "order_id", "order_day"]);
  expect(found(nodes, "orders old").map(({ key }) => key)).toEqual(["a"]);
  expect(found(nodes, "  ")).toEqual([]);
});

describe("moments", () => {
  const change = (at: string, key: string) => ({ at, of: { key }, kind: "schema" }) as unknown as ChangeItem;
  const changes = [
    change("2026-01-03T00:00:00Z", "a"),
    change("2026-01-01T00:00:10Z", "a"),
    change("2026-01-01T00:00:00Z", "b"),
    change("2026-01-02T00:00:00Z", "elsewhere"),
  ];
  const moments = momentsOf(changes, new Set(["a", "b"]), 60_000);

  it("are those of things in the picture; what happens together is one", () => {
    expect(moments.map(({ at, changes: listed }) => [new Date(at).toISOString().slice(0, 10), listed.length])).toEqual([
      ["2026-01-01", 2],
      ["2026-01-03", 1],
    ]);
  });

  it("the one before now is the last, the one after the last is now", () => {
    const [first, last] = moments.map(({ at }) => at);
    expect(momentBeside(moments, null, false)).toBe(last);
    expect(momentBeside(moments, last ?? 0, false)).toBe(first);
    expect(momentBeside(moments, first ?? 0, false)).toBe(first);
    expect(momentBeside(moments, first ?? 0, true)).toBe(last);
    expect(momentBeside(moments, last ?? 0, true)).toBeNull();
  });
});

describe("the sentence under the pointer", () => {
  const edge = (from: string, from_column: string, subtype: string, more: object = {}) => ({
    from,
    from_column,
    to: "t",
    to_column: "x",
    type: "DIRECT",
    subtype,
    masked: false,
    current: true,
    via: [],
    ...more,
  });
  const picture = (columns: object[]) =>
    ({ nodes: [node("a", "orders"), node("t", "report")], columns }) as unknown as Picture;

  it("names the columns of one source, counts the others, and prefers values to filters", () => {
    const columns = [
      edge("a", "day", "FILTER", { type: "INDIRECT" }),
      edge("a", "amount", "TRANSFORMATION"),
      edge("a", "rate", "TRANSFORMATION"),
      edge("b", "z", "IDENTITY"),
    ];
    expect(hoverSentence(picture(columns), "t", "x")).toEqual({
      code: "transformation",
      from: "orders",
      to: "report",
      sources: "amount, rate",
      others: 1,
    });
  });

  it("says that a value comes masked, and nothing where nothing is known", () => {
    expect(hoverSentence(picture([edge("a", "email", "TRANSFORMATION", { masked: true })]), "t", "x")?.code).toBe(
      "masked",
    );
    expect(hoverSentence(picture([edge("a", "x", "MAGIC")]), "t", "x")?.code).toBe("unknown");
    expect(hoverSentence(picture([]), "t", "x")).toBeNull();
  });
});

describe("what is said over the picture", () => {
  const view = { group: "none", ends: false, hide: [], from_time: null, to_time: null, way: "both", steps: 1 } as const;
  const picture = (nodes: number, left = {}, flows = 1) =>
    ({
      nodes: Array(nodes).fill(node("a", "a")),
      flows: Array(flows),
      left_out: { nodes: 0, hidden: 0, ...left },
    }) as unknown as Picture;

  it("offers to fold a picture that is too large, and not what is done already", () => {
    expect(noticeOf(picture(301), view)?.offers).toEqual(["schema", "location", "ends"]);
    expect(noticeOf(picture(301), { ...view, group: "schema" })).toBeNull();
    expect(noticeOf(picture(10, { nodes: 7 }), { ...view, ends: true })).toEqual({
      code: "leftOut",
      count: 7,
      offers: ["schema", "location"],
    });
    expect(noticeOf(picture(300), view)).toBeNull();
  });

  it("says that something is alone, and offers to take filters off where there are any", () => {
    expect(noticeOf(picture(1, {}, 0), view)).toEqual({ code: "alone", count: 0, offers: [] });
    expect(noticeOf(picture(1, {}, 0), { ...view, way: "upstream" })?.offers).toEqual(["now"]);
    expect(noticeOf(picture(1, {}, 1), view)).toBeNull();
  });
});

it("a place in an address is read with limits, or not at all", () => {
  expect(readPlace("dataset@1:0.5:-20:30")).toEqual({ key: "dataset@1", zoom: 0.5, right: -20, down: 30 });
  expect(readPlace("dataset@1:900:0:0")?.zoom).toBe(2);
  expect(readPlace("nonsense")).toBeNull();
  expect(readPlace(null)).toBeNull();
});

it("knows whether a card lies below what stands over the picture", () => {
  const laidOut = {
    scene: { items: [{ id: "a", kind: "card", width: 240, height: 80 }], lines: [] },
    places: { a: { x: 100, y: 100 } },
  } as unknown as Parameters<typeof coveredAt>[0];
  const corner = { x: 300, y: 150, width: 100, height: 100 };
  expect(coveredAt(laidOut, { x: 0, y: 0, zoom: 1 }, corner)).toBe(true);
  expect(coveredAt(laidOut, { x: 0, y: 0, zoom: 0.5 }, corner)).toBe(false);
  expect(coveredAt(laidOut, { x: 0, y: -40, zoom: 1 }, corner)).toBe(false);
});
