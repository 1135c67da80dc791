import { expect, it } from "vitest";
import { around, byCause, type ChangeItem } from "./causes";

const change = (at: string, run: string | null, actor: string | null = null) =>
  ({
    at: `2026-01-01T${at}Z`,
    kind: "schema",
    of: { key: at },
    cause: { run, job: null, actor },
  }) as unknown as ChangeItem;

it("changes of one run are one, wherever they stand; those of a person if they are close", () => {
  const found = byCause([
    change("10:00:30", null, "ann"),
    change("10:00:00", null, "ann"),
    change("09:59:00", "run:1"),
    change("09:58:00", null, "ann"),
    change("09:57:00", "run:1"),
    change("09:56:59", null, "bob"),
    change("09:56:58", null, null),
  ]);
  expect(found.map(({ changes }) => changes.length)).toEqual([2, 2, 1, 1, 1]);
});

it("between a second before and after, the difference shows all that a cause did", () => {
  const [cause] = byCause([change("10:00:05", "run:1"), change("10:00:00", "run:1")]);
  expect(cause && around(cause)).toEqual({ from: "2026-01-01T09:59:59.000Z", to: "2026-01-01T10:00:06.000Z" });
});
