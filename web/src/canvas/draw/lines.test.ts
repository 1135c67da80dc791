import { expect, it } from "vitest";
import { flowId } from "../scene/pick";
import { isByHand } from "./Lines";

it("an edge between columns is by hand where no job has it and somebody made the flow", () => {
  const made = new Set([flowId("a", "b")]);
  expect(isByHand({ from: "a", to: "b", via: [] }, made)).toBe(true);
  expect(isByHand({ from: "a", to: "b", via: ["job@1"] }, made)).toBe(false);
  expect(isByHand({ from: "a", to: "c", via: [] }, made)).toBe(false);
});
