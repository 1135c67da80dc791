import { useTranslations } from "use-intl";
import { type Column, Figure, Time } from "@/parts";
import type { UserItem } from "../shared/records";
import { Thing } from "../shared/Thing";
import { ListPage } from "./ListPage";
import type { ListSpec } from "./spec";

function useColumns(): readonly Column<UserItem>[] {
  const words = useTranslations("pages.lists.column");
  return [
    { id: "name", title: words("name"), value: (row) => row.name, cell: (row) => <Thing id={row.id} /> },
    {
      id: "runs",
      title: words("runs"),
      number: true,
      value: (row) => row.runs,
      cell: (row) => <Figure value={row.runs} />,
      width: 140,
    },
    {
      id: "owns",
      title: words("owns"),
      number: true,
      value: (row) => row.owns,
      cell: (row) => <Figure value={row.owns} />,
      width: 140,
    },
    {
      id: "first_seen",
      title: words("first_seen"),
      value: (row) => row.first_seen,
      cell: (row) => <Time at={row.first_seen} />,
      width: 160,
    },
    {
      id: "last_seen",
      title: words("last_seen"),
      value: (row) => row.last_seen,
      cell: (row) => <Time at={row.last_seen} />,
      width: 160,
    },
  ];
}

const SPEC: ListSpec<UserItem> = {
  list: "users",
  filters: [{ name: "name" }],
  orders: ["name"],
  order: "name",
  shown: ["runs", "owns", "first_seen", "last_seen"],
  useColumns,
  keyOf: (row) => row.key,
};

export default function Users() {
  return <ListPage spec={SPEC} />;
}
