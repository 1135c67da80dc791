import { expect, it } from "vitest";
import { chosenColumns, queryOf, withColumn } from "./spec";

const column = (id: string) => ({ id, title: id, value: () => id });
const all = ["name", "tags", "owners"].map(column);

it("the first column always stays; the others are chosen", () => {
  expect(chosenColumns(all, "", ["tags"]).map(({ id }) => id)).toEqual(["name", "tags"]);
  expect(chosenColumns(all, "owners", ["tags"]).map(({ id }) => id)).toEqual(["name", "owners"]);
});

it("a choice that is the usual one is not in the address", () => {
  expect(withColumn(["tags"], "owners", ["tags"])).toBe("tags,owners");
  expect(withColumn(["tags", "owners"], "owners", ["tags"])).toBe("");
});

it("only filters of the list with a value are asked for", () => {
  const filters = [{ name: "name" }, { name: "tag", repeated: true }, { name: "owner" }] as const;
  expect(queryOf(filters, { name: [" a "], tag: ["x", "y"], owner: [""], status: ["FAILED"] })).toEqual({
    name: "a",
    tag: ["x", "y"],
  });
});
