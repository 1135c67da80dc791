import type { RunItem } from "../shared/records";
import { ListPage } from "./ListPage";
import { useRunColumns } from "./runColumns";
import type { ListSpec } from "./spec";

const SPEC: ListSpec<RunItem> = {
  list: "runs",
  hasPast: true,
  filters: [
    { name: "name" },
    { name: "status", options: ["STARTED", "SUCCEEDED", "FAILED", "KILLED", "UNKNOWN"] },
    { name: "job" },
    { name: "dataset" },
    { name: "user" },
    { name: "kind", options: ["run", "operation"] },
    { name: "since", options: ["-1d", "-7d", "-30d"] },
  ],
  orders: ["first_seen"],
  order: "-first_seen",
  shown: ["run", "job", "first_seen", "duration", "user", "end_reason"],
  useColumns: useRunColumns,
  keyOf: (row) => row.key,
};

export default function Runs() {
  return <ListPage spec={SPEC} />;
}
