import { Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import { type Column, Figure } from "@/parts";
import { Tags } from "../shared/Marks";
import type { TagItem } from "../shared/records";
import { ListPage } from "./ListPage";
import type { ListSpec } from "./spec";

function Counted({ to, tag, value }: { to: "/datasets" | "/jobs" | "/pii"; tag: string; value: number }) {
  if (value === 0) return <Figure value={0} />;
  return (
    <Link to={to} search={{ tag } as never}>
      <Figure value={value} />
    </Link>
  );
}

function useColumns(): readonly Column<TagItem>[] {
  const words = useTranslations("pages.lists.column");
  return [
    { id: "tag", title: words("tag"), value: (row) => row.tag, cell: (row) => <Tags tags={[row.tag]} /> },
    {
      id: "columns",
      title: words("columns"),
      number: true,
      value: (row) => row.columns,
      cell: (row) => <Counted to="/pii" tag={row.tag} value={row.columns} />,
      width: 140,
    },
    {
      id: "datasets",
      title: words("datasets"),
      number: true,
      value: (row) => row.datasets,
      cell: (row) => <Counted to="/datasets" tag={row.tag} value={row.datasets} />,
      width: 140,
    },
    {
      id: "jobs",
      title: words("jobs"),
      number: true,
      value: (row) => row.jobs,
      cell: (row) => <Counted to="/jobs" tag={row.tag} value={row.jobs} />,
      width: 140,
    },
  ];
}

const SPEC: ListSpec<TagItem> = {
  list: "tags",
  filters: [{ name: "name" }],
  orders: ["tag"],
  order: "tag",
  shown: ["columns", "datasets", "jobs"],
  useColumns,
  keyOf: (row) => row.key,
};

export default function TagsList() {
  return <ListPage spec={SPEC} />;
}
