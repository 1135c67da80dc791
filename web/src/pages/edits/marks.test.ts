import { expect, it } from "vitest";
import { difference, withTyped } from "./marks";

it("only what differs is sent", () => {
  expect(difference(["pii", "gold"], ["gold", "daily"])).toEqual({ add: ["daily"], remove: ["pii"] });
  expect(difference(["pii"], ["pii"])).toEqual({ add: [], remove: [] });
});

it("what is typed may be several, and is there once", () => {
  expect(withTyped(["pii"], " gold, pii ,, daily ")).toEqual(["pii", "gold", "daily"]);
  expect(withTyped(["pii"], "  ")).toEqual(["pii"]);
});
