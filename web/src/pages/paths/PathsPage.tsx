import { useMemo } from "react";
import { useTranslations } from "use-intl";
import { ReactFlowProvider } from "@xyflow/react";
import { useAnswer } from "@/api";
import { Drawn } from "@/canvas/Drawn";
import { Page } from "@/frame/Page";
import { Answer, Button, Empty, Skeleton } from "@/parts";
import { optional, useMoment, useView } from "@/view";
import { Picker } from "../shared/Picker";
import shared from "../shared/shared.module.css";
import { type PathsAnswer, Way } from "../shared/Way";
import { pictureOfPaths } from "./pictureOfPaths";
import styles from "./PathsPage.module.css";

const FIELDS = { from: optional(), to: optional() };

/** The shortest ways between two things that are picked, as a picture and as a list. */
export default function PathsPage() {
  const words = useTranslations("questions.paths");
  const moment = useMoment();
  const [{ from, to }, setView] = useView(FIELDS);
  const isAsked = from !== null && to !== null;
  const answer = useAnswer<PathsAnswer>("/api/v2/paths", { from, to, limit: 20, as_of: moment }, { when: isAsked });
  return (
    <Page title={words("title")}>
      <div className={shared.tools}>
        <Picker label={words("from")} value={from} onPick={(id) => setView({ from: id }, { push: true })} />
        <span aria-hidden="true">{"→"}</span>
        <Picker label={words("to")} value={to} onPick={(id) => setView({ to: id }, { push: true })} />
        {isAsked && <Button onClick={() => setView({ from: to, to: from }, { push: true })}>{words("turn")}</Button>}
      </div>
      {!isAsked ? (
        <Empty title={words("none")}>{words("noneText")}</Empty>
      ) : (
        <Answer
          of={answer}
          skeleton={<Skeleton lines={8} height={28} />}
          isEmpty={({ paths }) => paths.length === 0}
          empty={<Empty title={words("nothing")}>{words("nothingText")}</Empty>}
        >
          {(found) => <Found of={found} moment={moment} />}
        </Answer>
      )}
    </Page>
  );
}

function Found({ of, moment }: { of: PathsAnswer; moment: string | null }) {
  const words = useTranslations("questions.paths");
  const picture = useMemo(() => pictureOfPaths(of), [of]);
  return (
    <>
      <p className={shared.sentence}>
        {words("sentence", { count: of.count, steps: of.length ?? 0 })}{" "}
        {of.direction === "upstream" && words("against")} {of.longer && words("longer")}
      </p>
      {(of.more || of.truncated) && <p className="mute">{words("more", { count: of.paths.length })}</p>}
      <div className={styles.canvas}>
        <ReactFlowProvider>
          <Drawn id={picture.start} picture={picture} isOld={false} moment={moment} slider={false} plain />
        </ReactFlowProvider>
      </div>
      <ol className={styles.ways}>
        {of.paths.map((path) => (
          <li key={path.nodes.join("\n")}>
            <Way path={path} />
          </li>
        ))}
      </ol>
    </>
  );
}
