import type { Node, NodeProps } from "@xyflow/react";
import { memo, useLayoutEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { Badge, cutEnd, cutMiddle, Icon, type IconName, StateDot, Time } from "@/parts";
import { columnId } from "../scene/pick";
import { endOfColumn, endOfNode } from "../link/ends";
import { Handle } from "../link/Handle";
import { useLink } from "../link/LinkContext";
import link from "../link/link.module.css";
import type { Lit } from "../scene/light";
import type { CardItem } from "../scene/scene";
import { MOST_ROWS, ROW } from "../scene/size";
import { useActs, useLight } from "./acts";
import styles from "./Card.module.css";
import { storageColour } from "./kinds";
import { marksOf, useMarkWord } from "./marks";
import { placeOf } from "./place";

const ICONS: Partial<Record<CardItem["node"]["kind"], IconName>> = { job: "job", chart: "chart", dashboard: "chart" };

export type CardNode = Node<{ item: CardItem; isStart: boolean }, "card">;

/** A dataset, job or run: what it is, where, how its last write ended and how old that is; its columns where it is unfolded. */
export const Card = memo(function Card({ data: { item, isStart } }: NodeProps<CardNode>) {
  const words = useTranslations("canvas.card");
  const parts = useTranslations("parts");
  const acts = useActs();
  const { lit, cursor } = useLight();
  const { node } = item;
  const names = [styles.card, node.change ? styles[node.change] : ""];
  if (isStart) names.push(styles.start);
  if (cursor === item.id) names.push(styles.cursor);
  if (lit && !lit.nodes.has(item.id)) names.push(styles.dim);
  const linking = useLink();
  if (linking.from && linking.from.kind !== "column")
    names.push(linking.refusal(endOfNode(node)) ? link.mayNot : link.may);
  const isDataset = node.kind === "dataset";
  const state = isDataset ? node.last_write?.status : node.state;
  const title = cutMiddle(node.title, 30) || parts("unnamed");
  const wordOf = useMarkWord();
  const marks = marksOf(node);
  return (
    <article
      className={names.join(" ")}
      style={{ width: item.width, height: item.height, ["--kind" as string]: storageColour(node.storage) }}
      data-card={item.id}
    >
      <button
        type="button"
        className={styles.head}
        tabIndex={cursor === item.id ? 0 : -1}
        aria-label={[
          words("label", {
            kind: words(`kind.${node.kind}`),
            title: cutMiddle(node.title, 120),
            up: node.more.upstream,
            down: node.more.downstream,
          }),
          ...marks.map(wordOf),
        ].join(", ")}
        aria-pressed={cursor === item.id}
        title={cutMiddle(`${node.namespace} ${node.name}`, 400)}
        onClick={(event) => {
          event.stopPropagation();
          acts.pick({ kind: "node", key: item.id });
        }}
        onDoubleClick={() => acts.openPage(node)}
      >
        <span className={styles.title}>
          {state && <StateDot state={state} />}
          {!isDataset && <Icon name={ICONS[node.kind] ?? "run"} size={13} />}
          <bdi className={styles.name}>{title}</bdi>
          {node.tags.length > 0 && <span className={styles.tag} title={cutMiddle(node.tags.join(", "), 200)} />}
          <span className={styles.age}>{node.last_write?.at && <Time at={node.last_write.at} look="age" />}</span>
        </span>
        <span className={styles.rest}>
          {marks.length > 0 && (
            <span className={styles.marks}>
              {marks.map((mark) => (
                <Badge key={mark.code} tone={mark.tone}>
                  {wordOf(mark)}
                </Badge>
              ))}
            </span>
          )}
          {node.storage && <span className={styles.storage}>{cutMiddle(node.storage, 14)}</span>}
          <bdi>{cutEnd(placeOf(node), 80)}</bdi>
        </span>
      </button>
      {item.rows && item.rows.length > 0 && <Rows item={item} />}
      {node.columns_total > 0 && (
        <button
          type="button"
          className={styles.foot}
          tabIndex={-1}
          aria-expanded={item.rows !== null}
          onClick={(event) => {
            event.stopPropagation();
            acts.unfold(item.id);
          }}
        >
          <Icon name={item.rows ? "up" : "down"} size={12} />
          {item.rows && item.rows.length < node.columns_total
            ? words("columnsSome", { shown: item.rows.length, count: node.columns_total })
            : words("columns", { count: node.columns_total })}
        </button>
      )}
      <More side="upstream" item={item} />
      <More side="downstream" item={item} />
      <Handle of={endOfNode(node)} />
    </article>
  );
});

function Rows({ item }: { item: CardItem }) {
  const acts = useActs();
  const { lit, picked } = useLight();
  const linking = useLink();
  const list = useRef<HTMLUListElement>(null);
  const first = picked?.kind === "column" && picked.key !== item.id ? firstLit(item, lit) : -1;
  useLayoutEffect(() => {
    if (!list.current) return;
    if (first >= 0 && (item.rows?.length ?? 0) > MOST_ROWS) list.current.scrollTop = (first - MOST_ROWS / 2) * ROW;
    acts.scroll(item.id, list.current.scrollTop);
  }, [acts, item, first]);
  return (
    <ul
      className={`${styles.rows} nowheel`}
      ref={list}
      onScroll={(event) => acts.scroll(item.id, event.currentTarget.scrollTop)}
    >
      {item.rows?.map((column) => {
        const isLit = lit?.columns.has(columnId(item.id, column.name)) ?? false;
        const isPicked = picked?.kind === "column" && picked.key === item.id && picked.column === column.name;
        const own = { kind: "column", key: item.id, column: column.name } as const;
        const end = endOfColumn(item.node, column);
        const isTarget = linking.from?.kind === "column" && !linking.refusal(end);
        return (
          <li key={column.key} className={isTarget ? link.may : undefined} data-column={column.name}>
            <button
              type="button"
              tabIndex={-1}
              className={`${styles.row} ${isLit ? styles.lit : ""} ${isPicked ? styles.picked : ""} ${column.change ? styles[`${column.change}Row`] : ""}`}
              aria-pressed={isPicked}
              title={cutMiddle(`${column.name} ${column.type ?? ""}`, 400)}
              onClick={(event) => {
                event.stopPropagation();
                acts.pick(own);
              }}
              onPointerEnter={() => acts.hover(own)}
              onPointerLeave={() => acts.hover(null)}
            >
              <bdi className={styles.column}>{cutMiddle(column.name, 24)}</bdi>
              {column.tags.length > 0 && <span className={styles.tag} title={cutMiddle(column.tags.join(", "), 200)} />}
              <span className={styles.type}>{cutMiddle(column.type ?? "", 14)}</span>
            </button>
            <Handle of={end} small />
          </li>
        );
      })}
    </ul>
  );
}

/** The place of the first column on the lit path, or -1. */
function firstLit(item: CardItem, lit: Lit | null): number {
  return (item.rows ?? []).findIndex((row) => lit?.columns.has(columnId(item.id, row.name)));
}

function More({ side, item }: { side: "upstream" | "downstream"; item: CardItem }) {
  const words = useTranslations("canvas.card");
  const acts = useActs();
  const count = item.node.more[side];
  if (!count) return null;
  return (
    <button
      type="button"
      tabIndex={-1}
      className={`${styles.more} ${styles[side]}`}
      aria-label={words(side === "upstream" ? "moreUp" : "moreDown", { count, title: cutMiddle(item.node.title, 60) })}
      title={words(side === "upstream" ? "moreUp" : "moreDown", { count, title: cutMiddle(item.node.title, 60) })}
      onClick={(event) => {
        event.stopPropagation();
        acts.expand(item.id, side);
      }}
    >
      {`+${count}`}
    </button>
  );
}
