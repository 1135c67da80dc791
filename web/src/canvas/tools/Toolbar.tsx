import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Button, Menu } from "@/parts";
import type { SetView, ValuesOf } from "@/view";
import { type CANVAS_VIEW, MOST_STEPS } from "../view";
import { Filters } from "./Filters";
import styles from "./tools.module.css";

export type View = ValuesOf<typeof CANVAS_VIEW>;
export type ChangeView = SetView<typeof CANVAS_VIEW>;

const WAYS = ["both", "upstream", "downstream"] as const;
const LEVELS = ["dataset", "column", "job", "application", "run", "operation"] as const;
const GROUPS = ["none", "location", "schema"] as const;

/** How the picture is asked for and drawn: all of it stands in the address. */
export function Toolbar({
  view,
  setView,
  plain,
  asking,
  children,
}: {
  view: View;
  setView: ChangeView;
  plain: boolean;
  /** Where the picture is plain, what is asked of whoever made it. */
  asking?: ReactNode;
  children?: ReactNode;
}) {
  const words = useTranslations("canvas.tools");
  return (
    <div className={styles.bar} role="toolbar" aria-label={words("label")}>
      {plain ? asking : <Asking view={view} setView={setView} />}
      <span className={`${styles.side} push`}>{children}</span>
    </div>
  );
}

/** How many steps the picture goes in each direction. */
export function Steps({
  view,
  setView,
  least,
  most,
}: {
  view: Pick<View, "steps">;
  setView: ChangeView;
  least: number;
  most: number;
}) {
  const words = useTranslations("canvas.tools");
  return (
    <span className={styles.stepper} role="group" aria-label={words("depth")}>
      <Button
        look="bare"
        icon="minus"
        label={words("less")}
        disabled={view.steps <= least}
        onClick={() => setView({ steps: view.steps - 1, expand: [] }, { push: true })}
      />
      <span aria-live="polite">{words("steps", { count: view.steps })}</span>
      <Button
        look="bare"
        icon="plus"
        label={words("moreSteps")}
        disabled={view.steps >= most}
        onClick={() => setView({ steps: view.steps + 1 }, { push: true })}
      />
    </span>
  );
}

/** What is asked of the server, and how it is folded. */
function Asking({ view, setView }: { view: View; setView: ChangeView }) {
  const words = useTranslations("canvas.tools");
  const hasPills = view.by === "dataset" || view.by === "column";
  return (
    <>
      <Steps view={view} setView={setView} least={0} most={MOST_STEPS} />
      <Menu
        align="start"
        label={words("way")}
        items={WAYS.map((way) => ({
          id: way,
          title: words(`ways.${way}`),
          chosen: view.way === way,
          onChoose: () => setView({ way }, { push: true }),
        }))}
      >
        {words(`ways.${view.way}`)}
      </Menu>
      <Menu
        align="start"
        label={words("by")}
        items={LEVELS.map((by) => ({
          id: by,
          title: words(`levels.${by}`),
          chosen: view.by === by,
          onChoose: () => setView({ by, pick: null, expand: [] }, { push: true }),
        }))}
      >
        <span className="mute">{words("by")}</span> {words(`levels.${view.by}`)}
      </Menu>
      <Menu
        align="start"
        label={words("group")}
        button={{ icon: "group" }}
        items={GROUPS.map((group) => ({
          id: group,
          title: words(`groups.${group}`),
          chosen: view.group === group,
          onChoose: () => setView({ group, ungrouped: [] }, { push: true }),
        }))}
      >
        {view.group !== "none" && words(`groups.${view.group}`)}
      </Menu>
      {hasPills && (
        <Button
          icon="job"
          pressed={view.jobs === "pills"}
          title={words("jobs")}
          onClick={() => setView({ jobs: view.jobs === "pills" ? "hidden" : "pills" })}
        >
          {words("jobs")}
        </Button>
      )}
      <Button
        icon="fit"
        pressed={view.ends}
        title={words("endsAbout")}
        onClick={() => setView({ ends: !view.ends, steps: view.ends ? 1 : Math.max(view.steps, 10) }, { push: true })}
      >
        {words("ends")}
      </Button>
      <Filters view={view} setView={setView} />
    </>
  );
}
