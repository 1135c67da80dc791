import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { useLocale, useTranslations } from "use-intl";
import { currentTenant, useAnswer } from "@/api";
import { Page } from "@/frame/Page";
import { kindWord } from "@/frame/SearchBox";
import { remember } from "@/home/lookedAt";
import { Empty, exactTime, FailureNote, Icon, Skeleton } from "@/parts";
import { optional, text, useMoment, useView } from "@/view";
import { Head } from "./Head";
import { isOverlay, partsOf, routeOf } from "./names";
import styles from "./shared.module.css";

/** What of a thing's page is in the address. */
export const ENTITY_VIEW = { id: text(), tab: optional() };

/** What is said of a version of an overlay changes by itself. */
const LOOK_AGAIN = 5_000;

/** The page of one thing in each of its states: none chosen, loading, failed, there. */
export function EntityPage<T>({
  list,
  kind,
  children,
}: {
  list: "datasets" | "jobs" | "runs" | "locations" | "users" | "sql";
  kind: string;
  children: (entity: T) => ReactNode;
}) {
  const words = useTranslations("pages.entity");
  const frame = useTranslations("frame");
  const [{ id }] = useView(ENTITY_VIEW);
  const isVersion = isOverlay(partsOf(id).namespace ?? "");
  const answer = useAnswer<T>(routeOf(list, id), {}, { when: id !== "", ...(isVersion ? { every: LOOK_AGAIN } : {}) });
  const isThere = answer.data !== undefined;
  useEffect(() => {
    if (isThere) remember(currentTenant(), id);
  }, [isThere, id]);
  const title = frame(`kind.${kindWord(kind)}`);
  if (id === "")
    return (
      <Page title={title}>
        <Empty
          title={words("none")}
          actions={<Link to={list === "sql" ? "/statements" : `/${list}`}>{words("toList")}</Link>}
        >
          {words("noneText")}
        </Empty>
      </Page>
    );
  if (answer.data !== undefined) return <>{children(answer.data)}</>;
  const parts = partsOf(id);
  return (
    <Page title={parts.title} fill head={<Head kind={kind} title={parts.title} rest={parts.rest} whole={id} />}>
      <div className={styles.inside}>
        {answer.error ? (
          <FailureNote error={answer.error} onRetry={() => void answer.refetch()} />
        ) : (
          <Skeleton lines={12} height={24} />
        )}
      </div>
    </Page>
  );
}

/** While the past is looked at: what on this page is nevertheless of now. */
export function MomentNote() {
  const words = useTranslations("pages.entity");
  const locale = useLocale();
  const moment = useMoment();
  if (!moment) return null;
  return (
    <p className={styles.moment} role="note">
      <Icon name="clock" size={14} />
      {words("moment", { moment: exactTime(Date.parse(moment), locale) })}
    </p>
  );
}
