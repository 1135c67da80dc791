import { csv } from "./format";
import type { Column } from "./Table";

/** Gives a file to the browser to keep. */
export function saveFile(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

const BYTE_ORDER_MARK = "\uFEFF"; // without it spreadsheets take the text for another encoding

export function saveCsv<R>(name: string, columns: readonly Column<R>[], rows: readonly R[]): void {
  const text = csv(
    columns.map((column) => column.title),
    rows.map((row) => columns.map((column) => column.value(row))),
  );
  saveFile(`${name}.csv`, BYTE_ORDER_MARK + text, "text/csv;charset=utf-8");
}
