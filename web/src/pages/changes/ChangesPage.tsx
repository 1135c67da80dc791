import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslations } from "use-intl";
import { Page } from "@/frame/Page";
import { Badge, Button, cutMiddle, Empty, FailureNote, Skeleton, Time, type Tone, useNow } from "@/parts";
import { list, optional, useMoment, useView, whole } from "@/view";
import { Choice } from "../shared/Field";
import { Picker } from "../shared/Picker";
import shared from "../shared/shared.module.css";
import { Thing } from "../shared/Thing";
import { usePages } from "../shared/usePages";
import { around, byCause, type Caused, type ChangeItem, KINDS } from "./causes";
import styles from "./ChangesPage.module.css";
import { useChangeSentence } from "./useChangeSentence";

const DAYS = [1, 7, 30, 90] as const;
const FIELDS = { name: optional(), days: whole(7, 1, 365), kind: list() };
const DAY = 86_400_000;
const TONES: Partial<Record<ChangeItem["kind"], Tone>> = {
  failed: "failed",
  dropped: "failed",
  schema: "stale",
  edit: "accent",
};

/** What changed, newest first, by what caused it; each as a sentence, with the difference as a picture. */
export default function ChangesPage() {
  const words = useTranslations("changes.page");
  const [view, setView] = useView(FIELDS);
  const moment = useMoment();
  const present = useNow();
  const until = moment ? Date.parse(moment) : Math.ceil(present / 300_000) * 300_000;
  const found = usePages<ChangeItem>("/api/v2/changes", {
    name: view.name,
    since: new Date(until - view.days * DAY).toISOString(),
    until: moment,
  });
  const causes = useMemo(
    () => byCause(found.rows.filter(({ kind }) => view.kind.length === 0 || view.kind.includes(kind))),
    [found.rows, view.kind],
  );
  const toggle = (kind: string) =>
    setView({ kind: view.kind.includes(kind) ? view.kind.filter((one) => one !== kind) : [...view.kind, kind] });
  return (
    <Page title={words("title")}>
      <div className={shared.tools}>
        <Picker
          label={words("of")}
          value={view.name}
          kinds={["dataset", "job"]}
          onPick={(name) => setView({ name }, { push: true })}
        />
        {view.name && (
          <Button look="bare" icon="close" onClick={() => setView({ name: null })}>
            {words("everything")}
          </Button>
        )}
        <Choice
          label={words("time")}
          value={String(view.days)}
          options={[...new Set([...DAYS, view.days])].map(
            (days) => [String(days), words("days", { count: days })] as const,
          )}
          onChoose={(days) => setView({ days: Number(days) })}
        />
        <span className={styles.kinds} role="group" aria-label={words("kinds")}>
          {KINDS.map((kind) => (
            <Button key={kind} look="bare" pressed={view.kind.includes(kind)} onClick={() => toggle(kind)}>
              {words(`kind.${kind}`)}
            </Button>
          ))}
        </span>
      </div>
      {found.error && !found.known ? (
        <FailureNote error={found.error} onRetry={found.again} />
      ) : !found.known ? (
        <Skeleton lines={10} height={40} />
      ) : causes.length === 0 ? (
        <Empty
          title={words("none", { count: view.days })}
          actions={<Button onClick={() => setView({ days: 90, kind: [] })}>{words("longer")}</Button>}
        >
          {words("noneText")}
        </Empty>
      ) : (
        <ol className={styles.causes}>
          {causes.map((cause) => (
            <Cause key={cause.id} cause={cause} />
          ))}
        </ol>
      )}
      {found.isMore && (
        <Button disabled={found.isLoadingMore} onClick={found.more}>
          {words("more")}
        </Button>
      )}
    </Page>
  );
}

const MOST = 8;

function Cause({ cause }: { cause: Caused }) {
  const words = useTranslations("changes.page");
  const sentence = useChangeSentence();
  const of = cause.changes.find(({ of: { kind } }) => kind !== "job")?.of ?? cause.changes[0]?.of;
  const shown = cause.changes.slice(0, MOST);
  return (
    <li className={styles.cause}>
      <header className="row">
        <Time at={cause.at} />
        {cause.run && <Thing id={cause.run} rest={false} />}
        {cause.job && <Thing id={cause.job} rest={false} />}
        {cause.actor && <bdi>{cutMiddle(cause.actor, 60)}</bdi>}
        {of && (
          <span className="push row">
            {of.kind !== "job" && (
              <Link to={"/impact" as "/"} search={{ name: of.id } as never}>
                {words("impact")}
              </Link>
            )}
            <Link to={"/diff" as "/"} search={{ id: of.id, ...around(cause) } as never}>
              {words("difference")}
            </Link>
          </span>
        )}
      </header>
      <ul>
        {shown.map((change, at) => (
          <li key={`${change.of.key} ${change.what.code} ${at}`} className={styles.change}>
            <Badge tone={TONES[change.kind] ?? "plain"}>{words(`kind.${change.kind}`)}</Badge>
            <span className={styles.says}>{sentence(change)}</span>
            {change.of.id !== cause.job && <Thing id={change.of.id} rest={false} />}
          </li>
        ))}
      </ul>
      {cause.changes.length > MOST && <p className="mute">{words("others", { count: cause.changes.length - MOST })}</p>}
    </li>
  );
}
