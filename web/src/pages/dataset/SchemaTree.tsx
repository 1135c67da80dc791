import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { Badge, Button, cutMiddle, Empty, Icon, saveCsv } from "@/parts";
import { useMoment } from "@/view";
import { EditMenu } from "../edits/EditMenu";
import { Typed } from "../shared/Field";
import { Tags } from "../shared/Marks";
import type { DatasetEntity, SchemaField } from "../shared/records";
import styles from "./dataset.module.css";
import { sourceCounts, treeRows } from "./schema";

const MOST = 400;

/** The columns of a dataset as a tree: types, comments, tags, and how many columns each comes from. */
export function SchemaTree({ dataset, schema }: { dataset: DatasetEntity; schema: readonly SchemaField[] }) {
  const words = useTranslations("pages.dataset.schema");
  const moment = useMoment();
  const [typed, setTyped] = useState("");
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [all, setAll] = useState(false);
  const rows = useMemo(() => treeRows(schema, open, typed), [schema, open, typed]);
  const sources = useMemo(() => sourceCounts(dataset.columns), [dataset.columns]);
  const tagsOf = (path: string, field: SchemaField) => dataset.column_tags[path] ?? field.tags ?? [];
  if (schema.length === 0) return <Empty title={words("none")}>{words(moment ? "noneThen" : "noneText")}</Empty>;
  const toggle = (path: string) =>
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(path)) next.add(path);
      return next;
    });
  const save = () =>
    saveCsv(
      "columns",
      [
        { id: "name", title: words("name"), value: (row) => row.path },
        { id: "type", title: words("type"), value: (row) => row.field.type },
        { id: "description", title: words("comment"), value: (row) => row.field.description },
        { id: "tags", title: words("tags"), value: (row) => tagsOf(row.path, row.field).join(", ") },
      ],
      rows,
    );
  const shown = all ? rows : rows.slice(0, MOST);
  return (
    <div className="stack">
      <div className="row">
        <Typed label={words("narrow")} value={typed} onType={setTyped} width={240} />
        <span className="mute">{words("count", { count: schema.length })}</span>
        {dataset.schema_relevance === "LATEST_KNOWN" && !moment && (
          <Badge title={words("latestText")}>{words("latest")}</Badge>
        )}
        <span className="push">
          <Button look="bare" icon="download" onClick={save}>
            {words("csv")}
          </Button>
        </span>
      </div>
      <table className={styles.tree} aria-label={words("title")}>
        <thead>
          <tr>
            <th scope="col">{words("name")}</th>
            <th scope="col">{words("type")}</th>
            <th scope="col">{words("from")}</th>
            <th scope="col">{words("tags")}</th>
            <th scope="col">{words("comment")}</th>
            <th scope="col">
              <span className="hidden-visually">{words("act")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ path, depth, field, hasChildren }) => {
            const isOpen = typed !== "" || open.has(path);
            const count = sources.get(path) ?? 0;
            const tags = tagsOf(path, field);
            const id = `${dataset.id}#${path}`;
            return (
              <tr key={path}>
                <th scope="row" style={{ paddingLeft: 8 + depth * 18 }}>
                  <span className="row">
                    {hasChildren ? (
                      <Button
                        look="bare"
                        icon={isOpen ? "down" : "right"}
                        label={words(isOpen ? "close" : "open", { name: cutMiddle(field.name, 60) })}
                        aria-expanded={isOpen}
                        onClick={() => toggle(path)}
                      />
                    ) : (
                      <span className={styles.indent} />
                    )}
                    <Link to="/column" search={{ id } as never} className="mono" title={cutMiddle(path, 400)}>
                      <bdi>{cutMiddle(field.name, 48)}</bdi>
                    </Link>
                  </span>
                </th>
                <td className="mono" title={cutMiddle(field.type ?? "", 400)}>
                  <bdi>{cutMiddle(field.type ?? "", 40)}</bdi>
                </td>
                <td>
                  {count > 0 && (
                    <Link to="/column" search={{ id } as never} className="mute">
                      <Icon name="left" size={12} /> {words("sources", { count })}
                    </Link>
                  )}
                </td>
                <td>
                  <Tags tags={tags.slice(0, 6)} />
                </td>
                <td className={styles.comment} title={cutMiddle(field.description ?? "", 400)}>
                  <bdi>{cutMiddle(field.description ?? "", 200)}</bdi>
                </td>
                <td className={styles.act}>
                  <EditMenu small of={{ id, tags, description: field.description ?? null }} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows.length === 0 && <Empty title={words("noneLeft")} />}
      {shown.length < rows.length && (
        <Button onClick={() => setAll(true)}>{words("more", { count: rows.length - shown.length })}</Button>
      )}
    </div>
  );
}
