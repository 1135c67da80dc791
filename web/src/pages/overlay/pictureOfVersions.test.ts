import { describe, expect, it } from "vitest";
import type { GraphNode, LineageGraph } from "./graph";
import { expansionOf, keyOf, MOST_VERSIONS, pictureOfVersions } from "./pictureOfVersions";

const ENV = "overlay:prod";
const dataset = (version: string) => `dataset:${ENV}:${version}`;
const job = (version: string) => `job:${ENV}:publish::${version}`;

/** An answer in which each version is published from its parents. */
function answer(parents: Record<string, string[]>, more: Record<string, GraphNode["data"]> = {}): LineageGraph {
  const versions = new Set([...Object.keys(parents), ...Object.values(parents).flat()]);
  const edges = Object.entries(parents).flatMap(([version, from]) => [
    ...from.map((parent) => ({ origin: dataset(parent), destination: job(version) })),
    { origin: job(version), destination: dataset(version) },
  ]);
  const node = (id: string, type: string, data: GraphNode["data"] = {}): GraphNode => ({
    id,
    type,
    data,
    inEdges: edges.filter(({ destination }) => destination === id),
    outEdges: edges.filter(({ origin }) => origin === id),
  });
  return {
    graph: [
      ...[...versions].map((version) => node(dataset(version), "DATASET", more[dataset(version)])),
      ...Object.keys(parents).map((version) => node(job(version), "JOB", more[job(version)])),
    ],
  };
}

const draw = (answers: LineageGraph[], start: string, steps = 1, expand: string[] = []) =>
  pictureOfVersions(answers, { start: dataset(start), steps, expand }, () => []);
const titles = (picture: ReturnType<typeof draw>) => picture.nodes.map(({ title }) => title).sort();

const CHAIN = answer({ a: [], "b/b==": ["a"], c: ["b/b=="], d: ["c"], e: ["c", "x"] });

describe("the picture of versions", () => {
  it("goes so many steps up and down, and counts what is behind", () => {
    const picture = draw([CHAIN], "c");
    expect(titles(picture)).toEqual(["b/b==", "c", "d", "e"]);
    const of = (title: string) => picture.nodes.find((node) => node.title === title);
    expect(of("b/b==")).toMatchObject({ step: -1, more: { upstream: 1, downstream: 0 } });
    expect(of("e")).toMatchObject({ step: 1, more: { upstream: 1, downstream: 0 } });
    expect(picture.flows.map(({ from, to, via }) => [from, to, via])).toContainEqual([
      keyOf(dataset("c")),
      keyOf(dataset("d")),
      [keyOf(job("d"))],
    ]);
    expect(titles(draw([CHAIN], "c", 2))).toEqual(["a", "b/b==", "c", "d", "e"]);
  });

  it("shows no sisters, only what comes from it and what it comes from", () => {
    expect(titles(draw([CHAIN], "d", 9))).toEqual(["a", "b/b==", "c", "d"]);
  });

  it("is unfolded step by step, also with what another answer knows", () => {
    const first = answer({ c: ["b/b=="], d: ["c"] });
    const entry = `${keyOf(dataset("b/b=="))}:upstream`;
    expect(titles(draw([first, answer({ "b/b==": ["a"] })], "c", 1, [entry]))).toEqual(["a", "b/b==", "c", "d"]);
    expect(titles(draw([first], "c", 1, [entry, "nonsense", "%:upstream", `${keyOf("gone")}:upstream`]))).toEqual([
      "b/b==",
      "c",
      "d",
    ]);
  });

  it("ends on a cycle, and keeps to its limit", () => {
    expect(titles(draw([answer({ a: ["b"], b: ["a"] })], "a", 10))).toEqual(["a", "b"]);
    const many = Object.fromEntries(Array.from({ length: MOST_VERSIONS + 5 }, (_, at) => [`v${at}`, ["root"]]));
    const picture = draw([answer({ root: [], ...many })], "root");
    expect(picture.nodes).toHaveLength(MOST_VERSIONS);
    expect(picture.left_out.nodes).toBe(6);
  });

  it("has the words of the facets, and none of them is green", () => {
    const spv = { bundleHash: "00", confs: 0, readyDecision: "ready" };
    const picture = draw(
      [
        answer(
          { a: [], b: ["a"], c: ["b"] },
          {
            [job("a")]: { latestRun: { state: "ABORTED", facets: { reorgFacet: { unstable: true } } } },
            [job("b")]: {
              latestRun: { state: "COMPLETED", facets: { reorgFacet: { unstable: true }, gitdataSpv: spv } },
            },
            [dataset("c")]: { lastLifecycleState: "RETRACTED" },
            [job("c")]: { latestRun: { facets: { gitdataSpv: ["wrong"], reorgFacet: null } } },
          },
        ),
      ],
      "b",
    );
    const marks = Object.fromEntries(picture.nodes.map(({ title, marks: own }) => [title, own ?? []]));
    expect(marks["a"]?.map(({ code }) => code)).toEqual(["aborted"]);
    expect(marks["b"]?.map(({ code, text }) => text ?? code)).toEqual(["unstable", "ready", "proof"]);
    expect(marks["c"]?.map(({ code }) => code)).toEqual(["retracted"]);
    expect(
      Object.values(marks)
        .flat()
        .some(({ tone }) => tone === "ok"),
    ).toBe(false);
  });
});

it("an entry of what is unfolded names a version and a side", () => {
  expect(expansionOf(`${keyOf(dataset("a:b#>c"))}:downstream`)).toEqual({ id: dataset("a:b#>c"), side: "downstream" });
  expect([expansionOf("x"), expansionOf("x:both"), expansionOf(":upstream"), expansionOf("%:upstream")]).toEqual([
    null,
    null,
    null,
    null,
  ]);
});
