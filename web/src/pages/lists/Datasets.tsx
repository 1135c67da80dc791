import { useTranslations } from "use-intl";
import { Badge, type Column, Time } from "@/parts";
import { Owners, Tags } from "../shared/Marks";
import type { DatasetItem } from "../shared/records";
import { Thing } from "../shared/Thing";
import { ListPage } from "./ListPage";
import type { ListSpec } from "./spec";

function useColumns(): readonly Column<DatasetItem>[] {
  const words = useTranslations("pages.lists.column");
  const entity = useTranslations("pages.entity");
  return [
    {
      id: "name",
      title: words("name"),
      value: (row) => row.name,
      cell: (row) => (
        <>
          <Thing id={row.id} /> {row.retracted_at && <Badge tone="failed">{entity("retracted")}</Badge>}
        </>
      ),
    },
    { id: "namespace", title: words("namespace"), value: (row) => row.namespace },
    {
      id: "tags",
      title: words("tags"),
      value: (row) => row.tags.join(", "),
      cell: (row) => <Tags tags={row.tags} />,
      width: 160,
    },
    {
      id: "owners",
      title: words("owners"),
      value: (row) => row.owners.join(", "),
      cell: (row) => <Owners owners={row.owners} />,
      width: 150,
    },
    { id: "description", title: words("description"), value: (row) => row.description },
    { id: "seen", title: words("seen"), value: (row) => row.seen.join(", "), width: 150 },
    {
      id: "alias_of",
      title: words("alias_of"),
      value: (row) => row.alias_of,
      cell: (row) => row.alias_of && <Thing id={row.alias_of} />,
      width: 180,
    },
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

const SPEC: ListSpec<DatasetItem> = {
  list: "datasets",
  hasPast: true,
  filters: [
    { name: "name" },
    { name: "tag", repeated: true },
    { name: "owner", repeated: true },
    { name: "namespace" },
    { name: "location_type" },
    { name: "since", options: ["-1d", "-7d", "-30d"] },
    { name: "hidden", options: ["true"] },
  ],
  orders: ["name", "first_seen"],
  order: "name",
  shown: ["tags", "owners", "description", "first_seen", "last_seen"],
  useColumns,
  keyOf: (row) => row.key,
};

export default function Datasets() {
  return <ListPage spec={SPEC} />;
}
