import type { Node, NodeProps } from "@xyflow/react";
import { memo } from "react";
import { useTranslations } from "use-intl";
import { cutMiddle, Icon, StateDot } from "@/parts";
import type { GroupItem } from "../scene/scene";
import { useActs, useLight } from "./acts";
import styles from "./Card.module.css";
import { storageColour } from "./kinds";

export type GroupNode = Node<{ item: GroupItem }, "place">;

/** Nodes of one place drawn as one card; a click unfolds it. */
export const GroupCard = memo(function GroupCard({ data: { item } }: NodeProps<GroupNode>) {
  const words = useTranslations("canvas.group");
  const acts = useActs();
  const { lit, cursor } = useLight();
  const failed = item.members.filter((node) => node.last_write?.status === "FAILED").length;
  const isDim = lit && !item.members.some((node) => lit.nodes.has(node.key));
  const names = [styles.card, styles.group, isDim ? styles.dim : "", cursor === item.id ? styles.cursor : ""];
  return (
    <article
      className={names.join(" ")}
      style={{ width: item.width, height: item.height, ["--kind" as string]: storageColour(item.storage) }}
      data-card={item.id}
    >
      <button
        type="button"
        className={styles.head}
        tabIndex={cursor === item.id ? 0 : -1}
        title={cutMiddle(item.rest, 300)}
        aria-label={words("label", { title: cutMiddle(item.title, 80), count: item.members.length })}
        onClick={(event) => {
          event.stopPropagation();
          acts.unfoldGroup(item.id);
        }}
      >
        <span className={styles.title}>
          <Icon name="group" size={13} />
          <bdi className={styles.name}>{cutMiddle(item.title, 28)}</bdi>
        </span>
        <span className={styles.rest}>
          {item.storage && <span className={styles.storage}>{cutMiddle(item.storage, 14)}</span>}
          <span>{words("members", { count: item.members.length })}</span>
          {failed > 0 && (
            <span className={styles.failures}>
              <StateDot state="FAILED" />
              {failed}
            </span>
          )}
        </span>
      </button>
    </article>
  );
});
