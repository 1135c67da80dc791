import { useTranslations } from "use-intl";
import { useAnswer } from "@/api";
import { LineageCanvas } from "@/canvas";
import type { Picture } from "@/canvas/records";
import { usePicture } from "@/canvas/usePicture";
import { CANVAS_VIEW } from "@/canvas/view";
import { Page } from "@/frame/Page";
import { fromLocal, toLocal } from "@/frame/moment";
import { Answer, Badge, cutMiddle, Empty, exactTime, Skeleton, type Tone, UNKNOWN, useNow } from "@/parts";
import { optional, useView } from "@/view";
import { useLocale } from "use-intl";
import { partsOf } from "../shared/names";
import { Picker } from "../shared/Picker";
import type { PageOf, RunItem } from "../shared/records";
import shared from "../shared/shared.module.css";
import { Thing } from "../shared/Thing";
import { changedIn, type Change } from "./changed";
import styles from "./DiffPage.module.css";

/** `run` and `other`: two runs instead of two moments. */
const FIELDS = { id: optional(), from: optional(), to: optional(), run: optional(), other: optional() };
const DAY = 86_400_000;

/** The lineage of something at two moments, or what two runs of a job did, as one picture with a list beside it. */
export default function DiffPage() {
  const words = useTranslations("questions.diff");
  const [view, setView] = useView(FIELDS);
  const present = useNow();
  const { id, run, other } = view;
  const before = view.from ?? new Date(Math.floor(present / DAY) * DAY - 7 * DAY).toISOString();
  const ofRuns = run !== null && other !== null;
  const isJob = id !== null && partsOf(id).kind === "job";
  return (
    <Page
      title={id ? `${words("title")} ${partsOf(id).title}` : words("title")}
      fill
      head={
        <header className={styles.head}>
          <h1>{words("title")}</h1>
          <Picker
            label={words("pick")}
            value={id}
            onPick={(one) => setView({ id: one, run: null, other: null }, { push: true })}
          />
          <When label={words("from")} value={before} onChange={(from) => setView({ from, run: null, other: null })} />
          <When label={words("to")} value={view.to} onChange={(to) => setView({ to, run: null, other: null })} />
          {isJob && <Runs job={id} run={run} other={other} onChoose={(values) => setView(values)} />}
        </header>
      }
    >
      {!id ? (
        <div className={shared.inside}>
          <Empty title={words("none")}>{words("noneText")}</Empty>
        </div>
      ) : (
        <div className={styles.sides}>
          <List id={ofRuns ? run : id} compared={ofRuns ? other : before} moment={ofRuns ? null : view.to} />
          <LineageCanvas
            key={ofRuns ? "runs" : "moments"}
            id={ofRuns ? run : id}
            compared={ofRuns ? other : before}
            moment={ofRuns ? null : view.to}
            slider={false}
          />
        </div>
      )}
    </Page>
  );
}

function When({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | null;
  onChange: (value: string | null) => void;
}) {
  return (
    <label className={shared.inline}>
      {label}
      <input
        type="datetime-local"
        className={shared.input}
        value={value ? toLocal(new Date(value)) : ""}
        onChange={(event) => onChange(fromLocal(event.target.value))}
      />
    </label>
  );
}

function Runs({
  job,
  run,
  other,
  onChoose,
}: {
  job: string;
  run: string | null;
  other: string | null;
  onChoose: (values: { run: string | null; other: string | null }) => void;
}) {
  const words = useTranslations("questions.diff");
  const locale = useLocale();
  const { data } = useAnswer<PageOf<RunItem>>("/api/v2/runs", { job, limit: 50 });
  const runs = data?.items ?? [];
  if (runs.length < 2) return null;
  const title = (one: RunItem) => exactTime(Date.parse(one.started_at ?? one.first_seen ?? ""), locale);
  const select = (label: string, value: string | null, change: (value: string) => void) => (
    <label className={shared.inline}>
      {label}
      <select className={shared.input} value={value ?? ""} onChange={(event) => change(event.target.value)}>
        <option value="">{UNKNOWN}</option>
        {runs.map((one) => (
          <option key={one.id} value={one.id}>
            {title(one)}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      {select(words("runBefore"), other, (value) =>
        onChoose({ other: value || null, run: value ? (run ?? runs[0]?.id ?? null) : null }),
      )}
      {select(words("runAfter"), run, (value) =>
        onChoose({ run: value || null, other: value ? (other ?? runs[1]?.id ?? null) : null }),
      )}
    </>
  );
}

function List({ id, compared, moment }: { id: string; compared: string; moment: string | null }) {
  const words = useTranslations("questions.diff");
  const [view] = useView(CANVAS_VIEW);
  const { answer, withColumns } = usePicture(id, view, moment, compared);
  return (
    <section className={styles.list} aria-label={words("list")}>
      <Answer of={answer} skeleton={<Skeleton lines={8} />}>
        {(picture) => <Listed picture={withColumns ?? picture} />}
      </Answer>
    </section>
  );
}

const TONES: Record<Change, Tone> = { added: "ok", removed: "failed", changed: "stale" };
const SIGNS: Record<Change, string> = { added: "+", removed: "−", changed: "~" };

function Sign({ change }: { change: Change }) {
  const words = useTranslations("canvas.node.change");
  return (
    <Badge tone={TONES[change]} title={words(change)}>
      <span aria-hidden="true">{SIGNS[change]}</span>
      <span className="hidden-visually">{words(change)}</span>
    </Badge>
  );
}

function Listed({ picture }: { picture: Picture }) {
  const words = useTranslations("questions.diff");
  const { nodes, flows, schemas } = changedIn(picture);
  const shown = flows.filter(
    ({ from, to }) => !from.change || from.change === "changed" || !to.change || to.change === "changed",
  );
  if (nodes.length + flows.length + schemas.length === 0)
    return (
      <>
        <h2>{words("same")}</h2>
        <p className="mute">{words("sameText")}</p>
      </>
    );
  return (
    <>
      <p className={shared.sentence}>
        {words("sentence", { nodes: nodes.length, flows: flows.length, schemas: schemas.length })}
      </p>
      {nodes.length > 0 && (
        <section>
          <h2>{words("nodes")}</h2>
          <ul>
            {nodes.map(({ change, node }) => (
              <li key={node.key} className={styles.row}>
                <Sign change={change} />
                <Thing id={node.id} rest={false} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {schemas.length > 0 && (
        <section>
          <h2>{words("schemas")}</h2>
          {schemas.map(({ node, columns }) => (
            <div key={node.key}>
              <Thing id={node.id} rest={false} />
              <ul>
                {columns.slice(0, 40).map((column) => (
                  <li key={column.name} className={styles.row}>
                    {column.change && <Sign change={column.change} />}
                    <code>{cutMiddle(column.name, 40)}</code>
                    <span className="mute">{cutMiddle(column.type ?? "", 24)}</span>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </section>
      )}
      {shown.length > 0 && (
        <section>
          <h2>{words("flows")}</h2>
          <ul>
            {shown.map(({ change, flow, from, to, columns }) => (
              <li key={`${flow.from} ${flow.to}`}>
                <span className={styles.row}>
                  <Sign change={change} />
                  <bdi>{cutMiddle(from.title, 30)}</bdi>
                  <span aria-hidden="true">{"→"}</span>
                  <bdi>{cutMiddle(to.title, 30)}</bdi>
                </span>
                {change === "changed" && (
                  <ul className={styles.inner}>
                    {columns.slice(0, 20).map((edge) => (
                      <li key={`${edge.from_column} ${edge.to_column} ${edge.subtype}`} className={styles.row}>
                        {edge.change && <Sign change={edge.change} />}
                        <code>
                          {`${cutMiddle(edge.from_column, 24)} → `}
                          {cutMiddle(edge.to_column, 24) || words("everyRow")}
                        </code>
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
