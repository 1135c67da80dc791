import { describe, expect, it } from "vitest";
import type { SchemaVersion } from "../shared/records";
import { schemaAt, schemaLines, sourceCounts, treeRows, typesOver } from "./schema";

type Field = SchemaVersion["fields"][number];
const field = (name: string, type: string, fields: Field[] = []): Field => ({
  name,
  type,
  description: null,
  fields,
  key: null,
  tags: [],
});

const version = (
  first_seen: string,
  fields: SchemaVersion["fields"],
  change: Partial<SchemaVersion> = {},
): SchemaVersion => ({
  id: first_seen,
  first_seen,
  last_seen: null,
  used_as: ["OUTPUT"],
  added: [],
  removed: [],
  changed: [],
  fields,
  ...change,
});

const HISTORY = [
  version("2026-01-01T00:00:00Z", [field("id", "int"), field("note", "text")], { added: ["id", "note"] }),
  version("2026-01-03T00:00:00Z", [field("id", "bigint")], { changed: ["id"], removed: ["note"] }),
  version("2026-01-05T00:00:00Z", [field("id", "bigint"), field("note", "text")], { added: ["note"] }),
];

describe("a schema", () => {
  it("at a moment is the newest one seen by then", () => {
    const dataset = { schema: [field("id", "now")], schema_history: HISTORY };
    expect(schemaAt(dataset, null)[0]?.type).toBe("now");
    expect(schemaAt(dataset, "2026-01-02T00:00:00Z").map(({ name }) => name)).toEqual(["id", "note"]);
    expect(schemaAt(dataset, "2026-01-03T00:00:00Z").map(({ type }) => type)).toEqual(["bigint"]);
    expect(schemaAt(dataset, "2025-01-01T00:00:00Z")).toEqual([]);
  });

  it("is a tree whose branches are closed until opened, or until something in them is looked for", () => {
    const fields = [field("id", "int"), field("who", "struct", [field("mail", "text")])];
    expect(treeRows(fields, new Set()).map(({ path }) => path)).toEqual(["id", "who"]);
    expect(treeRows(fields, new Set(["who"])).map(({ path, depth }) => [path, depth])).toEqual([
      ["id", 0],
      ["who", 0],
      ["who.mail", 1],
    ]);
    expect(treeRows(fields, new Set(), "MAIL").map(({ path }) => path)).toEqual(["who", "who.mail"]);
    expect(treeRows(fields, new Set(), "nothing")).toEqual([]);
  });

  it("differs from the one before by lines with both types", () => {
    expect(schemaLines(HISTORY[1] as SchemaVersion, HISTORY[0])).toEqual([
      { change: "changed", name: "id", before: "int", after: "bigint" },
      { change: "removed", name: "note", before: "text", after: null },
    ]);
  });
});

it("the types of a column over time end where the column was not there", () => {
  expect(typesOver([...HISTORY].reverse(), "id")).toEqual([
    { type: "int", since: "2026-01-01T00:00:00Z", until: "2026-01-03T00:00:00Z" },
    { type: "bigint", since: "2026-01-03T00:00:00Z", until: null },
  ]);
  expect(typesOver(HISTORY, "note")).toEqual([
    { type: "text", since: "2026-01-01T00:00:00Z", until: "2026-01-03T00:00:00Z" },
    { type: "text", since: "2026-01-05T00:00:00Z", until: null },
  ]);
  expect(typesOver(HISTORY, "other")).toEqual([]);
});

it("columns that decide over rows are not counted as sources", () => {
  const from = (column: string, source_column: string, type: string) => ({
    column,
    source: "dataset:a:b",
    source_column,
    type,
    subtype: "IDENTITY",
    masking: null,
    stated: null,
    expression: null,
  });
  const counts = sourceCounts([from("x", "a", "DIRECT"), from("x", "b", "DIRECT"), from("x", "c", "INDIRECT")]);
  expect([...counts]).toEqual([["x", 2]]);
});
