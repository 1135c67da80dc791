import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Failure } from "@/api";
import styles from "./Answer.module.css";
import { Button } from "./Button";
import { Icon, type IconName } from "./Icon";

/** Why there is nothing to see, and what to do about it. */
export function Note({
  icon,
  title,
  children,
  actions,
  tone = "plain",
}: {
  icon: IconName;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
  tone?: "plain" | "failed";
}) {
  return (
    <div
      className={`${styles.note} ${tone === "failed" ? styles.failed : ""}`}
      role={tone === "failed" ? "alert" : undefined}
    >
      <Icon name={icon} size={24} />
      <p className={styles.title}>{title}</p>
      {children && <div className={styles.text}>{children}</div>}
      {actions && <div className="row">{actions}</div>}
    </div>
  );
}

/** An empty answer: why, and what to do. */
export function Empty({ title, children, actions }: { title: string; children?: ReactNode; actions?: ReactNode }) {
  return (
    <Note icon="dataset" title={title} actions={actions}>
      {children}
    </Note>
  );
}

const ICONS: Record<Failure["kind"], IconName> = {
  offline: "offline",
  signed_out: "lock",
  forbidden: "lock",
  not_found: "search",
  refused: "warning",
  busy: "clock",
  too_large: "warning",
  failed: "warning",
};

/** What happened, whether anything is lost, and what to do; made from any error. */
export function FailureNote({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const words = useTranslations("parts.failure");
  const failure =
    error instanceof Failure ? error : new Failure("failed", error instanceof Error ? error.message : String(error));
  const { kind } = failure;
  return (
    <Note
      icon={ICONS[kind]}
      tone="failed"
      title={words(`${kind}.title`)}
      actions={
        <>
          {kind === "signed_out" && <Link to="/sign-in">{words("signIn")}</Link>}
          {kind === "not_found" && <Link to="/search">{words("search")}</Link>}
          {onRetry && !["signed_out", "forbidden", "not_found"].includes(kind) && (
            <Button onClick={onRetry} icon="run">
              {words("again")}
            </Button>
          )}
        </>
      }
    >
      <p>{words(`${kind}.text`)}</p>
      {kind !== "offline" && (
        <p className={styles.said}>
          <bdi>{failure.message}</bdi> {failure.hint && <bdi>{failure.hint}</bdi>}
        </p>
      )}
    </Note>
  );
}

/** Grey lines where an answer will be; `lines` of the height that it will have. */
export function Skeleton({ lines = 3, height = 20 }: { lines?: number; height?: number }) {
  const words = useTranslations("parts");
  return (
    <div className={styles.skeletons} role="status" aria-label={words("loading")}>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className={styles.skeleton} style={{ height, width: `${92 - ((line * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

/** An answer in each of its states: loading, failed, empty, there. Stale content stays while it is asked again. */
export function Answer<T>({
  of,
  skeleton,
  isEmpty,
  empty,
  children,
}: {
  of: UseQueryResult<T, Failure>;
  skeleton?: ReactNode;
  isEmpty?: (answer: T) => boolean;
  empty?: ReactNode;
  children: (answer: T) => ReactNode;
}) {
  if (of.data !== undefined) {
    if (isEmpty?.(of.data)) return <>{empty}</>;
    return (
      <>
        {of.error && <Stale error={of.error} onRetry={() => void of.refetch()} />}
        {children(of.data)}
      </>
    );
  }
  if (of.error) return <FailureNote error={of.error} onRetry={() => void of.refetch()} />;
  return <>{skeleton ?? <Skeleton />}</>;
}

/** What is shown is from before: the newest question failed. */
function Stale({ error, onRetry }: { error: Failure; onRetry: () => void }) {
  const words = useTranslations("parts.failure");
  return (
    <div className={styles.stale} role="status">
      <Icon name="warning" />
      <span>{words("stale", { reason: error.message })}</span>
      <Button onClick={onRetry}>{words("again")}</Button>
    </div>
  );
}
