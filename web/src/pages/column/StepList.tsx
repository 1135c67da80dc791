import { useState } from "react";
import { useTranslations } from "use-intl";
import { Badge, Button, cutMiddle, Icon } from "@/parts";
import { partsOf } from "../shared/names";
import { Thing } from "../shared/Thing";
import styles from "./column.module.css";
import { How } from "./How";
import type { Step } from "./steps";

const FIRST = 30;

/** The path of a value as a vertical list: each column, and how it gets into the next. */
export function StepList({ steps, way }: { steps: readonly Step[]; way: "upstream" | "downstream" }) {
  const words = useTranslations("pages.column");
  const [all, setAll] = useState(false);
  const shown = all ? steps : way === "upstream" ? steps.slice(-FIRST) : steps.slice(0, FIRST);
  const more = steps.length > shown.length && (
    <Button look="bare" onClick={() => setAll(true)}>
      {words("all", { count: steps.length })}
    </Button>
  );
  return (
    <>
      {way === "upstream" && more}
      <ol className={styles.steps}>
        {shown.map((step) => {
          const column = (
            <div className={styles.node}>
              <span className={styles.distance}>{way === "upstream" ? `−${step.distance}` : `+${step.distance}`}</span>
              <Thing id={step.id} most={70} />
              {step.isRows && <Badge>{words("rows")}</Badge>}
              {step.masked && <Masked />}
            </div>
          );
          const ways = step.ways.map(({ to, transformations, current }) => (
            <div key={to} className={`${styles.way} ${current ? "" : styles.past}`}>
              <Icon name="down" size={12} />
              <div className="stack">
                <span className="row">
                  <span className="mute">{words(way === "upstream" ? "into" : "outOf")}</span>
                  <bdi className="mono">{cutMiddle(partsOf(to).title, 60)}</bdi>
                  {!current && <Badge>{words("notCurrent")}</Badge>}
                </span>
                {transformations.slice(0, 8).map((one) => (
                  <span key={`${one.type} ${one.subtype} ${one.expression ?? ""}`} className="row-wrap">
                    <How isDirect={one.type === "DIRECT"} subtype={one.subtype} />
                    {one.masking && <Masked />}
                    {one.expression && (
                      <code className={styles.expression} title={cutMiddle(one.expression, 400)}>
                        {cutMiddle(one.expression, 200)}
                      </code>
                    )}
                  </span>
                ))}
              </div>
            </div>
          ));
          return (
            <li key={step.id} className={styles.step}>
              {way === "upstream" ? (
                <>
                  {column}
                  {ways}
                </>
              ) : (
                <>
                  {ways}
                  {column}
                </>
              )}
            </li>
          );
        })}
      </ol>
      {way === "downstream" && more}
    </>
  );
}

export function Masked() {
  const words = useTranslations("pages.column");
  return (
    <Badge tone="stale">
      <Icon name="shield" size={12} /> {words("masked")}
    </Badge>
  );
}
