import { useQueries } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { type components, currentTenant, type Failure, request } from "@/api";
import { Badge, cutMiddle, Skeleton, Sql } from "@/parts";
import { useMoment } from "@/view";
import type { JobEntity } from "../shared/records";
import { How } from "../column/How";
import { type JobColumn, jobColumns, pairsOf } from "./jobColumns";
import styles from "./job.module.css";

type Edge = components["schemas"]["Edge"];

const MOST_PAIRS = 16;
const MOST_SHOWN = 200;

/** The statement of a job; beside it which column comes from which, and where in the statement. */
export function JobSql({ job, sql }: { job: JobEntity; sql: string }) {
  const words = useTranslations("pages.job");
  const moment = useMoment();
  const [picked, setPicked] = useState<JobColumn | null>(null);
  const [over, setOver] = useState<JobColumn | null>(null);
  const { pairs, left } = useMemo(() => pairsOf(job.inputs, job.outputs, MOST_PAIRS), [job.inputs, job.outputs]);
  const answers = useQueries({
    queries: pairs.map(({ from, to }) => {
      const query = { from, to, via: job.id, ...(moment ? { as_of: moment } : {}) };
      return {
        queryKey: [currentTenant(), "/api/v2/edge", query],
        queryFn: ({ signal }: { signal: AbortSignal }) => request<Edge>("GET", "/api/v2/edge", { query, signal }),
        retry: (count: number, error: Failure) => error.kind === "busy" && count < 3,
      };
    }),
    combine: (found) => ({
      edges: found.flatMap(({ data }) => (data ? [data] : [])),
      isLoading: found.some((one) => one.isLoading),
    }),
  });
  const columns = useMemo(() => jobColumns(answers.edges, job.id), [answers.edges, job.id]);
  const shown = over ?? picked;
  return (
    <div className={styles.sql}>
      <div className={styles.sqlText}>
        <Sql statement={sql} spans={shown?.spans ?? []} />
      </div>
      <div className="stack">
        <h3>{words("columns", { count: columns.length })}</h3>
        {answers.isLoading && columns.length === 0 ? (
          <Skeleton lines={6} />
        ) : columns.length === 0 ? (
          <p className="mute">{words("noColumns")}</p>
        ) : (
          <ul className={styles.edges}>
            {columns.slice(0, MOST_SHOWN).map((column) => (
              <li key={column.key}>
                <button
                  type="button"
                  className={styles.edge}
                  aria-pressed={picked?.key === column.key}
                  onClick={() => setPicked(picked?.key === column.key ? null : column)}
                  onPointerEnter={() => setOver(column)}
                  onPointerLeave={() => setOver(null)}
                  onFocus={() => setOver(column)}
                  onBlur={() => setOver(null)}
                >
                  <span className="mono">
                    <bdi>{cutMiddle(`${column.fromTitle}.${column.fromColumn}`, 48)}</bdi>
                    <span className="mute">{" → "}</span>
                    <bdi>
                      {column.toColumn ? cutMiddle(`${column.toTitle}.${column.toColumn}`, 48) : words("everyRow")}
                    </bdi>
                  </span>
                  <span className="row">
                    <How isDirect={column.isDirect} subtype={column.subtype} />
                    {column.masked && <Badge tone="stale">{words("masked")}</Badge>}
                  </span>
                  {column.expression && <code>{cutMiddle(column.expression, 200)}</code>}
                </button>
              </li>
            ))}
          </ul>
        )}
        {(left > 0 || columns.length > MOST_SHOWN) && (
          <p className="mute">{words("leftOut", { pairs: left, columns: Math.max(0, columns.length - MOST_SHOWN) })}</p>
        )}
      </div>
    </div>
  );
}
