import { useTranslations } from "use-intl";
import { mayDo, useSession } from "@/frame/session";
import { Badge, Button, type Column, cutMiddle, Empty, FailureNote, Skeleton, Table, Time, useToast } from "@/parts";
import { useMoment } from "@/view";
import type { EditItem } from "../shared/records";
import { Thing } from "../shared/Thing";
import { usePages } from "../shared/usePages";
import { editCode } from "./editCode";
import styles from "./edits.module.css";
import { useEdit } from "./useEdit";

const KINDS = [
  "tag",
  "owner",
  "description",
  "hidden",
  "external_id",
  "same_location",
  "edge",
  "edge_hidden",
  "made",
  "information",
] as const;

/** What was changed by hand, newest first, of one thing or of everything; each can be taken back. */
export function EditHistory({ of, fill = false }: { of?: string; fill?: boolean }) {
  const words = useTranslations("pages.edits");
  const toast = useToast();
  const moment = useMoment();
  const { session } = useSession();
  const mayEdit = mayDo(session, "editor");
  const found = usePages<EditItem>("/api/v2/edits", of ? { name: of } : {});
  const edit = useEdit(() => {});
  const undo = (item: EditItem) =>
    edit.mutate([{ route: "edits/undo", body: { id: item.id } }], { onError: (error) => toast(error.message) });
  const columns: readonly Column<EditItem>[] = [
    {
      id: "time",
      title: words("column.time"),
      value: (row) => row.time,
      cell: (row) => <Time at={row.time} />,
      width: 130,
    },
    ...(of
      ? []
      : [
          {
            id: "of",
            title: words("column.of"),
            value: (row: EditItem) => row.of,
            cell: (row: EditItem) =>
              isEdge(row) ? (
                <bdi>{cutMiddle(row.of, 120)}</bdi>
              ) : row.of.includes(":") ? (
                <Thing id={row.of} />
              ) : (
                <bdi>{cutMiddle(row.of, 120)}</bdi>
              ),
          },
        ]),
    {
      id: "kind",
      title: words("column.kind"),
      value: (row) => row.kind,
      cell: (row) => <Badge>{kindOf(words, row.kind)}</Badge>,
      width: 140,
    },
    {
      id: "change",
      title: words("column.change"),
      value: (row) => row.change,
      cell: (row) => (
        <span className={styles.value} title={cutMiddle(row.value ?? "", 400)}>
          {words.rich(`did.${editCode(row)}`, {
            name: cutMiddle(isEdge(row) ? row.of : (row.name ?? row.value ?? ""), 120),
            n: (text) => <bdi className={styles.strong}>{text}</bdi>,
          })}
        </span>
      ),
    },
    { id: "by", title: words("column.by"), value: (row) => row.by ?? row.actor, width: 140 },
    { id: "reason", title: words("column.reason"), value: (row) => row.reason },
    { id: "via", title: words("column.via"), value: (row) => row.via, width: 70 },
    ...(mayEdit && !moment
      ? [
          {
            id: "undo",
            title: words("column.undo"),
            value: () => null,
            fixed: true,
            width: 110,
            cell: (row: EditItem) => (
              <Button look="bare" disabled={edit.isPending} onClick={() => undo(row)}>
                {words("undo")}
              </Button>
            ),
          },
        ]
      : []),
  ];
  if (found.error && !found.known) return <FailureNote error={found.error} onRetry={found.again} />;
  if (!found.known) return <Skeleton lines={6} height={24} />;
  return (
    <>
      {!mayEdit && <p className="mute">{words("readOnly")}</p>}
      <Table
        label={words("title")}
        columns={columns}
        rows={found.rows}
        keyOf={(row) => row.id}
        total={found.total}
        csv="edits"
        fill={fill}
        empty={<Empty title={words("none")}>{words(mayEdit ? "noneText" : "readOnly")}</Empty>}
        foot={
          found.isMore && (
            <Button disabled={found.isLoadingMore} onClick={found.more}>
              {words("more")}
            </Button>
          )
        }
      />
    </>
  );
}

function isEdge(row: EditItem): boolean {
  return row.kind === "edge" || row.kind === "edge_hidden";
}

function kindOf(words: ReturnType<typeof useTranslations<"pages.edits">>, kind: string | null): string {
  const known = KINDS.find((one) => one === kind);
  return known ? words(`kind.${known}`) : (kind ?? "");
}
