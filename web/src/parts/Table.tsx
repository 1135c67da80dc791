import {
  createSortedRowModel,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { Empty } from "./Answer";
import { Button } from "./Button";
import { saveCsv } from "./csv";
import { number } from "./format";
import { Icon } from "./Icon";
import { compareValues, narrow, orderOf, sortingOf } from "./rows";
import styles from "./Table.module.css";

export type Value = string | number | boolean | null | undefined;

export interface Column<R> {
  id: string;
  title: string;
  /** What is sorted by, narrowed by, and written into the CSV. */
  value: (row: R) => Value;
  /** What is drawn; the value itself, unless given. */
  cell?: (row: R) => ReactNode;
  /** Right-aligned. */
  number?: boolean;
  /** Not sortable, although it has a value. */
  fixed?: boolean;
  /** Pixels; without it the columns share what is left. */
  width?: number;
}

export interface TableProps<R> {
  /** What the table lists, for those who do not see it. */
  label: string;
  columns: readonly Column<R>[];
  rows: readonly R[];
  keyOf: (row: R) => string;
  /** "name" or "-name"; with `onOrder` the owner sorts (the server), without it the table does. */
  order?: string | null;
  onOrder?: (order: string) => void;
  /** Name of the CSV file without its end; none means no export of what is shown. */
  csv?: string;
  /** Where the whole list is as CSV, if the server has it. */
  csvAddress?: string;
  /** How many there are in all, where more than these rows. */
  total?: number | null;
  empty?: ReactNode;
  /** More controls in the line above. */
  controls?: ReactNode;
  /** Below the rows: a button for more of them. */
  foot?: ReactNode;
  /** Leave out the line above (narrowing, CSV). */
  bare?: boolean;
  /** Fills what is left of the page and scrolls by itself. */
  fill?: boolean;
}

const ROW = 32;
const ALL_DRAWN = 80;
const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

/** A list that can be sorted, narrowed by typing and exported; of long ones only the rows in view are drawn. */
export function Table<R extends object>(props: TableProps<R>) {
  const { columns, rows, keyOf, order = null, onOrder, bare = false, fill = false } = props;
  const words = useTranslations("parts.table");
  const locale = useLocale();
  const [typed, setTyped] = useState("");
  const [own, setOwn] = useState<SortingState>(() => sortingOf(order));
  const wanted = useDeferredValue(typed);
  const shown = useMemo(() => narrow(rows, columns, wanted), [rows, columns, wanted]);
  const sorting = useMemo(() => (onOrder ? sortingOf(order) : own), [onOrder, order, own]);
  const definitions = useMemo(
    () =>
      columns.map((column) => ({
        id: column.id,
        header: column.title,
        accessorFn: column.value,
        enableSorting: !column.fixed,
        sortUndefined: "last" as const,
        sortFn: (a: { original: R }, b: { original: R }) =>
          compareValues(column.value(a.original), column.value(b.original), locale),
      })),
    [columns, locale],
  );
  const data = useMemo(() => [...shown], [shown]);
  const table = useTable({
    features,
    columns: definitions,
    data,
    getRowId: keyOf,
    manualSorting: Boolean(onOrder),
    enableSortingRemoval: false,
    state: { sorting },
    onSortingChange: (change) => {
      const next = typeof change === "function" ? change(sorting) : change;
      if (onOrder) onOrder(orderOf(next));
      else setOwn(next);
    },
  });
  const drawn = table.getRowModel().rows;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: drawn.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
    enabled: drawn.length > ALL_DRAWN,
  });
  const inView = drawn.length > ALL_DRAWN ? virtual.getVirtualItems() : null;
  const places = inView ? inView.map(({ index }) => index) : drawn.map((_, index) => index);
  const above = inView?.[0]?.start ?? 0;
  const below = inView ? virtual.getTotalSize() - (inView.at(-1)?.end ?? 0) : 0;
  const byId = useMemo(() => new Map(columns.map((column) => [column.id, column])), [columns]);
  const total = props.total ?? rows.length;
  return (
    <div className={`${styles.whole} ${fill ? styles.fill : ""}`}>
      {!bare && (
        <div className={styles.tools}>
          <label className={styles.narrow}>
            <Icon name="filter" size={14} />
            <input
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              placeholder={words("narrow")}
              aria-label={words("narrow")}
            />
          </label>
          <span className="mute">
            {shown.length === total
              ? words("all", { count: total })
              : words("some", { shown: number(shown.length, locale), total: number(total, locale) })}
          </span>
          {props.controls}
          {props.csv && (
            <span className="push">
              {props.csvAddress ? (
                <a className={styles.csv} href={props.csvAddress} download={`${props.csv}.csv`}>
                  <Icon name="download" size={14} /> {words("csv")}
                </a>
              ) : (
                <Button
                  look="bare"
                  icon="download"
                  onClick={() =>
                    saveCsv(
                      props.csv ?? "",
                      columns,
                      drawn.map((row) => row.original),
                    )
                  }
                >
                  {words("csv")}
                </Button>
              )}
            </span>
          )}
        </div>
      )}
      <div className={styles.scroller} ref={scroller} tabIndex={0}>
        <table className={styles.table} aria-label={props.label} aria-rowcount={total + 1}>
          <colgroup>
            {columns.map((column) => (
              <col key={column.id} style={column.width ? { width: column.width } : undefined} />
            ))}
          </colgroup>
          <thead>
            <tr>
              {table.getHeaderGroups().flatMap((group) =>
                group.headers.map((header) => {
                  const column = byId.get(header.column.id);
                  const sorted = header.column.getIsSorted();
                  return (
                    <th
                      key={header.id}
                      scope="col"
                      className={column?.number ? "number" : undefined}
                      aria-sort={sorted === "asc" ? "ascending" : sorted === "desc" ? "descending" : undefined}
                    >
                      {header.column.getCanSort() ? (
                        <button
                          type="button"
                          className={styles.sort}
                          onClick={() => header.column.toggleSorting(sorted === "asc")}
                        >
                          {column?.title}
                          {sorted && <Icon name={sorted === "asc" ? "up" : "down"} size={12} />}
                        </button>
                      ) : (
                        column?.title
                      )}
                    </th>
                  );
                }),
              )}
            </tr>
          </thead>
          <tbody>
            {above > 0 && <Gap height={above} columns={columns.length} />}
            {places.map((place) => {
              const row = drawn[place];
              if (!row) return null;
              return (
                <tr key={row.id} aria-rowindex={place + 2}>
                  {columns.map((column) => (
                    <td key={column.id} className={column.number ? "number" : undefined}>
                      {column.cell ? column.cell(row.original) : <bdi>{column.value(row.original)}</bdi>}
                    </td>
                  ))}
                </tr>
              );
            })}
            {below > 0 && <Gap height={below} columns={columns.length} />}
          </tbody>
        </table>
        {drawn.length === 0 &&
          (rows.length > 0 ? (
            <Empty
              title={words("noneLeft", { typed: wanted.slice(0, 60) })}
              actions={<Button onClick={() => setTyped("")}>{words("clear")}</Button>}
            />
          ) : (
            (props.empty ?? <Empty title={words("none")} />)
          ))}
        {props.foot}
      </div>
    </div>
  );
}

function Gap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr>
      <td colSpan={columns} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
