import { useMemo } from "react";
import { useLocale, useTranslations } from "use-intl";
import type { Query } from "@/api";
import { Badge, Button, type Column, Empty, FailureNote, number, Skeleton, Table } from "@/parts";
import { useMoment } from "@/view";
import { useRunColumns } from "../lists/runColumns";
import type { RunItem } from "./records";
import { usePages } from "./usePages";

const SHOWN = ["status", "run", "job", "started_at", "duration", "user", "end_reason"];

/** Runs that match, newest first, page after page; those of a dataset with what they did to it. */
export function RunsTable({
  filters,
  label,
  without = [],
}: {
  filters: Query;
  label: string;
  without?: readonly string[];
}) {
  const words = useTranslations("pages.entity");
  const locale = useLocale();
  const moment = useMoment();
  const all = useRunColumns();
  const found = usePages<RunItem>("/api/v2/runs", { limit: 100, ...filters, ...(moment ? { until: moment } : {}) });
  const withRoles = "dataset" in filters;
  const columns = useMemo<readonly Column<RunItem>[]>(() => {
    const shown = all.filter(({ id }) => SHOWN.includes(id) && !without.includes(id));
    if (!withRoles) return shown;
    return [
      ...shown.slice(0, 1),
      {
        id: "roles",
        title: words("role"),
        value: (row) => row.roles.join(", "),
        cell: (row) => (
          <span className="row">
            {row.roles.map((role) => (
              <Badge key={role} tone={role === "OUTPUT" ? "accent" : "plain"}>
                {words(`roles.${role === "OUTPUT" ? "wrote" : role === "INPUT" ? "read" : "named"}`)}
              </Badge>
            ))}
          </span>
        ),
        width: 120,
      },
      ...shown.slice(1),
    ];
  }, [all, without, withRoles, words]);
  if (found.error && !found.known) return <FailureNote error={found.error} onRetry={found.again} />;
  if (!found.known) return <Skeleton lines={8} height={24} />;
  return (
    <Table
      label={label}
      columns={columns}
      rows={found.rows}
      keyOf={(row) => row.key}
      total={found.total}
      csv="runs"
      empty={<Empty title={words("noRuns")}>{words("noRunsText")}</Empty>}
      foot={
        found.isMore && (
          <p>
            <Button disabled={found.isLoadingMore} onClick={found.more}>
              {words("more", { shown: number(found.rows.length, locale), total: number(found.total, locale) })}
            </Button>
          </p>
        )
      }
    />
  );
}
