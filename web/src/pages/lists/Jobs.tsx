import { useTranslations } from "use-intl";
import { type Column, Duration, StateDot, Time } from "@/parts";
import { Owners, Tags } from "../shared/Marks";
import type { JobItem } from "../shared/records";
import { Thing } from "../shared/Thing";
import { ListPage } from "./ListPage";
import type { ListSpec } from "./spec";

function useColumns(): readonly Column<JobItem>[] {
  const words = useTranslations("pages.lists.column");
  return [
    { id: "name", title: words("name"), value: (row) => row.name, cell: (row) => <Thing id={row.id} /> },
    { id: "namespace", title: words("namespace"), value: (row) => row.namespace },
    { id: "type", title: words("type"), value: (row) => row.type, width: 170 },
    {
      id: "parent",
      title: words("parent"),
      value: (row) => row.parent,
      cell: (row) => row.parent && <Thing id={row.parent} rest={false} />,
      width: 180,
    },
    {
      id: "status",
      title: words("latest_run"),
      value: (row) => row.latest_run?.status,
      cell: (row) => row.latest_run && <StateDot state={row.latest_run.status} text />,
      width: 120,
    },
    {
      id: "duration",
      title: words("duration"),
      number: true,
      value: (row) => row.latest_run?.duration_ms,
      cell: (row) => <Duration milliseconds={row.latest_run?.duration_ms} />,
      width: 110,
    },
    {
      id: "tags",
      title: words("tags"),
      value: (row) => row.tags.join(", "),
      cell: (row) => <Tags tags={row.tags} />,
      width: 140,
    },
    {
      id: "owners",
      title: words("owners"),
      value: (row) => row.owners.join(", "),
      cell: (row) => <Owners owners={row.owners} />,
      width: 140,
    },
    { id: "description", title: words("description"), value: (row) => row.description },
    {
      id: "first_seen",
      title: words("first_seen"),
      value: (row) => row.first_seen,
      cell: (row) => <Time at={row.first_seen} />,
      width: 130,
    },
    {
      id: "last_seen",
      title: words("last_seen"),
      value: (row) => row.last_seen,
      cell: (row) => <Time at={row.last_seen} />,
      width: 130,
    },
  ];
}

const SPEC: ListSpec<JobItem> = {
  list: "jobs",
  hasPast: true,
  filters: [
    { name: "name" },
    { name: "type" },
    { name: "tag", repeated: true },
    { name: "owner", repeated: true },
    { name: "namespace" },
    { name: "since", options: ["-1d", "-7d", "-30d"] },
    { name: "hidden", options: ["true"] },
  ],
  orders: ["name", "first_seen"],
  order: "name",
  shown: ["type", "parent", "status", "duration", "last_seen"],
  useColumns,
  keyOf: (row) => row.key,
};

export default function Jobs() {
  return <ListPage spec={SPEC} />;
}
