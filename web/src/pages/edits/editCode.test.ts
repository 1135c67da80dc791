import { expect, it } from "vitest";
import { editCode } from "./editCode";

it.each([
  ["tag", "pii", "true", "added"],
  ["tag", "pii", null, "takenBack"],
  ["owner", "bob", "false", "denied"],
  ["description", null, "One row each.", "set"],
  ["description", null, null, "unset"],
  ["edge", null, "{}", "edgeStated"],
  ["edge", null, null, "edgeRemoved"],
  ["edge_hidden", null, "{}", "edgeHidden"],
  ["edge_hidden", null, null, "edgeShown"],
  ["hidden", null, "true", "hidden"],
  ["hidden", null, null, "shown"],
  ["same_location", "dbfs", "true", "same"],
  ["same_location", "dbfs", "false", "apart"],
  ["same_location", "dbfs", null, "undecided"],
] as const)("%s %s %s is %s", (kind, name, value, code) => {
  expect(editCode({ kind, name, value })).toBe(code);
});
