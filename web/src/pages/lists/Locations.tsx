import { useTranslations } from "use-intl";
import { type Column, Figure, Time } from "@/parts";
import { Owners } from "../shared/Marks";
import type { LocationItem } from "../shared/records";
import { Thing } from "../shared/Thing";
import { ListPage } from "./ListPage";
import type { ListSpec } from "./spec";

function useColumns(): readonly Column<LocationItem>[] {
  const words = useTranslations("pages.lists.column");
  return [
    { id: "id", title: words("name"), value: (row) => row.id, cell: (row) => <Thing id={row.id} /> },
    { id: "type", title: words("type"), value: (row) => row.type, width: 120 },
    { id: "namespaces", title: words("namespaces"), value: (row) => row.namespaces.join(", ") },
    { id: "addresses", title: words("addresses"), value: (row) => row.addresses.join(", ") },
    {
      id: "datasets",
      title: words("datasets"),
      number: true,
      value: (row) => row.datasets,
      cell: (row) => <Figure value={row.datasets} />,
      width: 100,
    },
    {
      id: "jobs",
      title: words("jobs"),
      number: true,
      value: (row) => row.jobs,
      cell: (row) => <Figure value={row.jobs} />,
      width: 90,
    },
    {
      id: "owners",
      title: words("owners"),
      value: (row) => row.owners.join(", "),
      cell: (row) => <Owners owners={row.owners} />,
      width: 140,
    },
    { id: "external_id", title: words("external_id"), value: (row) => row.external_id, width: 140 },
    {
      id: "first_seen",
      title: words("first_seen"),
      value: (row) => row.first_seen,
      cell: (row) => <Time at={row.first_seen} />,
      width: 130,
    },
  ];
}

const SPEC: ListSpec<LocationItem> = {
  list: "locations",
  filters: [{ name: "name" }, { name: "type" }],
  orders: ["id"],
  order: "id",
  shown: ["type", "namespaces", "datasets", "jobs", "owners", "first_seen"],
  useColumns,
  keyOf: (row) => row.key,
};

export default function Locations() {
  return <ListPage spec={SPEC} />;
}
