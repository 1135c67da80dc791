import { expect, it } from "vitest";
import { lookedAt, readLooked, remember, withLooked } from "./lookedAt";

it("what is looked at again moves to the beginning, and the oldest leaves", () => {
  const list = Array.from({ length: 30 }, (_, at) => ({ id: `d${at}`, at }));
  const found = withLooked(list, "d5", 99);
  expect(found).toHaveLength(30);
  expect(found[0]).toEqual({ id: "d5", at: 99 });
  expect(found.filter(({ id }) => id === "d5")).toHaveLength(1);
  expect(withLooked(list, "new", 99).map(({ id }) => id)).not.toContain("d29");
  expect(withLooked([], "x".repeat(5000), 1)).toEqual([]);
});

it("what somebody else wrote there does no harm", () => {
  expect(readLooked(null)).toEqual([]);
  expect(readLooked("{broken")).toEqual([]);
  expect(readLooked('{"id":1}')).toEqual([]);
  expect(readLooked('[null, 1, {"id":5,"at":1}, {"id":"a","at":1}]')).toEqual([{ id: "a", at: 1 }]);
});

it("tenants do not see what others looked at", () => {
  remember("one", "dataset:a:b");
  remember(null, "dataset:c:d");
  expect(lookedAt("one").map(({ id }) => id)).toEqual(["dataset:a:b"]);
  expect(lookedAt(null).map(({ id }) => id)).toEqual(["dataset:c:d"]);
  expect(lookedAt("other")).toEqual([]);
});
