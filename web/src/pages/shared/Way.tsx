import { useTranslations } from "use-intl";
import { type components, useAnswer } from "@/api";
import { subtypeWord } from "@/canvas/panel/marks";
import { Answer, Badge, cutMiddle, Skeleton } from "@/parts";
import { useMoment } from "@/view";
import { Thing } from "./Thing";
import styles from "./Way.module.css";

export type PathsAnswer = components["schemas"]["PathsAnswer"];
export type PathFound = PathsAnswer["paths"][number];

/** One way from a thing to another, step by step, with what happens to the value where that is known. */
export function Way({ path }: { path: PathFound }) {
  const words = useTranslations("canvas.panel");
  const edges = path.edges ?? [];
  return (
    <ol className={styles.way}>
      {path.nodes.map((id, at) => {
        const edge = at > 0 ? edges[at - 1] : undefined;
        const hows = edge?.transformations ?? [];
        const expression = hows.find((how) => how.expression)?.expression;
        return (
          <li key={`${id} ${at}`} className={styles.step}>
            {at > 0 && (
              <span className={styles.how}>
                <span aria-hidden="true">{"→"}</span>
                {hows.slice(0, 3).map(({ subtype, type }) => (
                  <span key={`${type} ${subtype}`}>{words(`subtype.${subtypeWord(subtype)}`)}</span>
                ))}
                {edge?.masked && <Badge tone="stale">{words("masked")}</Badge>}
                {edge?.current === false && <Badge>{words("notCurrent")}</Badge>}
                {expression && <code title={cutMiddle(expression, 400)}>{cutMiddle(expression, 80)}</code>}
              </span>
            )}
            <Thing id={id} />
          </li>
        );
      })}
    </ol>
  );
}

/** A shortest way between two things, asked for when it is shown: the proof that one reaches the other. */
export function Proof({ from, to }: { from: string; to: string }) {
  const words = useTranslations("questions");
  const moment = useMoment();
  const answer = useAnswer<PathsAnswer>("/api/v2/paths", { from, to, limit: 1, as_of: moment });
  return (
    <Answer of={answer} skeleton={<Skeleton lines={2} />}>
      {({ paths: [first] }) => (first ? <Way path={first} /> : <p className="mute">{words("proofNone")}</p>)}
    </Answer>
  );
}
