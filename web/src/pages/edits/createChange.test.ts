import { expect, it } from "vitest";
import { createChange, NOTHING_YET } from "./createChange";

it("names a chart or dashboard by its tool and id, and sends only what was written", () => {
  expect(createChange({ ...NOTHING_YET, tool: " looker ", id: "sales", title: "Sales", owners: "ann, , bob" })).toEqual(
    {
      route: "edits/create",
      body: { name: "dashboard:looker:sales", title: "Sales", owners: ["ann", "bob"] },
    },
  );
  expect(createChange({ ...NOTHING_YET, kind: "chart", tool: "looker", id: "r:1" })?.body).toEqual({
    name: "chart:looker:r:1",
  });
});

it("sends nothing without a tool or an id", () => {
  expect(createChange({ ...NOTHING_YET, tool: "looker", id: "  " })).toBeNull();
  expect(createChange({ ...NOTHING_YET, id: "sales" })).toBeNull();
});
