import { useTranslations } from "use-intl";
import { Button, type Column, Empty, FailureNote, Skeleton, Table, Time } from "@/parts";
import { Part } from "../shared/Facts";
import { Owners, Tags } from "../shared/Marks";
import type { DatasetItem } from "../shared/records";
import { Thing } from "../shared/Thing";
import { usePages } from "../shared/usePages";

/** The datasets of a location. */
export function Inside({ namespace }: { namespace: string }) {
  const words = useTranslations("pages.things");
  const column = useTranslations("pages.lists.column");
  const found = usePages<DatasetItem>("/api/v2/datasets", { location: namespace, aliases: "false" }, namespace !== "");
  const columns: readonly Column<DatasetItem>[] = [
    { id: "name", title: column("name"), value: (row) => row.name, cell: (row) => <Thing id={row.id} /> },
    {
      id: "tags",
      title: column("tags"),
      value: (row) => row.tags.join(", "),
      cell: (row) => <Tags tags={row.tags.slice(0, 4)} />,
      width: 180,
    },
    {
      id: "owners",
      title: column("owners"),
      value: (row) => row.owners.join(", "),
      cell: (row) => <Owners owners={row.owners.slice(0, 3)} />,
      width: 180,
    },
    {
      id: "last_seen",
      title: column("last_seen"),
      value: (row) => row.last_seen,
      cell: (row) => <Time at={row.last_seen} />,
      width: 140,
    },
  ];
  return (
    <Part title={words("inside")}>
      {found.error && !found.known ? (
        <FailureNote error={found.error} onRetry={found.again} />
      ) : !found.known ? (
        <Skeleton lines={8} height={24} />
      ) : (
        <Table
          label={words("inside")}
          columns={columns}
          rows={found.rows}
          keyOf={(row) => row.key}
          total={found.total}
          csv="datasets"
          empty={<Empty title={words("nothingInside")}>{words("nothingInsideText")}</Empty>}
          foot={
            found.isMore && (
              <Button disabled={found.isLoadingMore} onClick={found.more}>
                {words("more")}
              </Button>
            )
          }
        />
      )}
    </Part>
  );
}
