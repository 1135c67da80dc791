import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { Page } from "@/frame/Page";
import { Button, Empty, exactTime, FailureNote, Menu, number, saveCsv, Skeleton, Table, useToast } from "@/parts";
import { useMoment, useView } from "@/view";
import { Choice, Typed } from "../shared/Field";
import shared from "../shared/shared.module.css";
import { allRows, usePages } from "../shared/usePages";
import { ListHead } from "./ListHead";
import styles from "./ListPage.module.css";
import { chosenColumns, type Filter, type FilterName, LIST_VIEW, type ListSpec, queryOf, withColumn } from "./spec";

/** A list of the store: filters, order and columns in the address, page after page, as CSV. */
export function ListPage<R extends object>({ spec }: { spec: ListSpec<R> }) {
  const words = useTranslations("pages.lists");
  const locale = useLocale();
  const toast = useToast();
  const moment = useMoment();
  const [view, setView] = useView(LIST_VIEW);
  const [saving, setSaving] = useState(false);
  const columns = spec.useColumns();
  const order = view.order ?? spec.order;
  const path = `/api/v2/${spec.list}`;
  const filtered = useMemo(() => queryOf(spec.filters, view), [spec.filters, view]);
  const query = { ...filtered, order, ...(moment && spec.hasPast ? { until: moment } : {}) };
  const found = usePages<R>(path, query);
  const shown = chosenColumns(columns, view.columns, spec.shown).map((column) =>
    spec.orders.includes(column.id) ? column : { ...column, fixed: true },
  );
  const shownIds = shown.slice(1).map(({ id }) => id);
  const isNarrowed = Object.keys(filtered).length > 0;
  const clear = () => setView(Object.fromEntries(spec.filters.map(({ name }) => [name, []])));
  const save = async () => {
    setSaving(true);
    try {
      saveCsv(spec.list, columns, await allRows<R>(path, query));
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error));
    } finally {
      setSaving(false);
    }
  };
  return (
    <Page
      title={words(`title.${spec.list}`)}
      head={<ListHead of={spec.list} total={found.known ? found.total : null} />}
      fill
    >
      {moment && (
        <p className={shared.moment} role="note">
          {words(spec.hasPast ? "past" : "noPast", { moment: exactTime(Date.parse(moment), locale) })}
        </p>
      )}
      <div className={styles.whole}>
        <div className={shared.tools}>
          {spec.filters.map((filter) => (
            <FilterField
              key={filter.name}
              filter={filter}
              value={view[filter.name]}
              onChange={(value) => setView({ [filter.name]: value })}
            />
          ))}
          {isNarrowed && (
            <Button look="bare" icon="close" onClick={clear}>
              {words("clear")}
            </Button>
          )}
          <span className="push row">
            <Menu
              label={words("columns")}
              button={{ icon: "columns", look: "bare" }}
              items={columns.slice(1).map((column) => ({
                id: column.id,
                title: column.title,
                chosen: shownIds.includes(column.id),
                onChoose: () => setView({ columns: withColumn(shownIds, column.id, spec.shown) }),
              }))}
            />
            <Button look="bare" icon="download" disabled={saving} onClick={() => void save()}>
              {words("csv")}
            </Button>
          </span>
        </div>
        {found.error && !found.known ? (
          <FailureNote error={found.error} onRetry={found.again} />
        ) : !found.known ? (
          <Skeleton lines={14} height={24} />
        ) : (
          <Table
            label={words(`title.${spec.list}`)}
            columns={shown}
            rows={found.rows}
            keyOf={spec.keyOf}
            order={order}
            onOrder={(next) => setView({ order: next === spec.order ? null : next })}
            total={found.total}
            bare
            fill
            empty={
              <Empty
                title={isNarrowed ? words("noneLeft") : words("none")}
                actions={
                  isNarrowed ? <Button onClick={clear}>{words("clear")}</Button> : <Link to="/">{words("first")}</Link>
                }
              >
                {words(isNarrowed ? "noneLeftText" : "noneText")}
              </Empty>
            }
            foot={
              found.isMore && (
                <p className={styles.more}>
                  <Button disabled={found.isLoadingMore} onClick={found.more}>
                    {words("more", {
                      shown: number(found.rows.length, locale),
                      total: number(found.total, locale),
                    })}
                  </Button>
                </p>
              )
            }
          />
        )}
      </div>
    </Page>
  );
}

function FilterField({
  filter: { name, options, repeated },
  value,
  onChange,
}: {
  filter: Filter;
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
}) {
  const words = useTranslations("pages.lists");
  if (options)
    return (
      <Choice
        label={words(`filter.${name}`)}
        value={value[0] ?? ""}
        options={[["", words("any")], ...options.map((one) => [one, optionWord(words, name, one)] as const)]}
        onChoose={(one) => onChange(one ? [one] : [])}
      />
    );
  return (
    <Typed
      label={words(`filter.${name}`)}
      value={value.join(repeated ? ", " : "")}
      width={name === "name" || name === "text" ? 220 : 140}
      onType={(typed) => onChange(repeated ? typed.split(",").map((one) => one.trim()) : [typed])}
    />
  );
}

type Words = ReturnType<typeof useTranslations<"pages.lists">>;

function optionWord(words: Words, name: FilterName, one: string): string {
  if (name === "status") return words(`status.${one as "FAILED"}`);
  if (name === "hidden") return words("yes");
  if (name === "since") return words(`since.${one.slice(1) as "1d"}`);
  if (name === "kind") return words(`activity.${one as "run"}`);
  return one;
}
