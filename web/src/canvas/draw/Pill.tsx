import type { Node, NodeProps } from "@xyflow/react";
import { memo } from "react";
import { useTranslations } from "use-intl";
import { cutMiddle, StateDot } from "@/parts";
import { endOfItem } from "../link/ends";
import { useLink } from "../link/LinkContext";
import link from "../link/link.module.css";
import { flowId } from "../scene/pick";
import type { PillItem } from "../scene/scene";
import { useActs, useLight } from "./acts";
import styles from "./Pill.module.css";

export type PillNode = Node<{ item: PillItem }, "pill">;

/** The job, or jobs, that a flow leads through. */
export const Pill = memo(function Pill({ data: { item } }: NodeProps<PillNode>) {
  const words = useTranslations("canvas.pill");
  const acts = useActs();
  const { lit, cursor } = useLight();
  const { from, refusal } = useLink();
  const [first] = item.jobs;
  const [flow] = item.flows;
  const isLit = !lit || item.flows.some((one) => lit.flows.has(flowId(one.from, one.to)));
  const end = from && endOfItem(item);
  const linked = !from ? "" : end && !refusal(end) ? link.may : link.mayNot;
  const title = cutMiddle(first?.title ?? "", 26);
  if (!flow) return null;
  return (
    <button
      type="button"
      className={`${styles.pill} ${isLit ? "" : styles.dim} ${cursor === item.id ? styles.cursor : ""} ${linked}`}
      style={{ width: item.width, height: item.height }}
      tabIndex={cursor === item.id ? 0 : -1}
      data-card={item.id}
      title={cutMiddle(item.jobs.map((job) => `${job.namespace} ${job.name}`).join("\n"), 600)}
      aria-label={words("label", { title: cutMiddle(first?.title ?? "", 60), count: item.total })}
      onClick={(event) => {
        event.stopPropagation();
        acts.pick({ kind: "flow", from: flow.from, to: flow.to });
      }}
    >
      {first?.last_run && <StateDot state={first.last_run.status} />}
      <bdi className={styles.title}>{title}</bdi>
      {item.total > 1 && <span className={styles.count}>{`+${item.total - 1}`}</span>}
    </button>
  );
});
