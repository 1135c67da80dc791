import { csv } from "@/parts/format";
import type { Picture } from "../records";

/** The flows of a picture as a table, one line each; columns of the picture follow the same way. Pure. */
export function csvOf(picture: Picture): string {
  const names = new Map(picture.nodes.map((node) => [node.key, node.id]));
  const jobs = new Map(picture.jobs.map((job) => [job.key, job.id]));
  const header = [
    "from",
    "from_column",
    "to",
    "to_column",
    "kind",
    "subtype",
    "masked",
    "current",
    "via",
    "first_seen",
    "last_seen",
    "change",
  ];
  const via = (keys: readonly string[]) => keys.map((key) => jobs.get(key) ?? key).join(" ");
  return csv(header, [
    ...picture.flows.map((flow) => [
      names.get(flow.from) ?? flow.from,
      "",
      names.get(flow.to) ?? flow.to,
      "",
      flow.kinds.join(" "),
      "",
      flow.masked,
      flow.current,
      via(flow.via),
      flow.first_seen,
      flow.last_seen,
      flow.change,
    ]),
    ...picture.columns.map((edge) => [
      names.get(edge.from) ?? edge.from,
      edge.from_column,
      names.get(edge.to) ?? edge.to,
      edge.to_column,
      edge.type,
      edge.subtype,
      edge.masked,
      edge.current,
      via(edge.via),
      "",
      "",
      "",
    ]),
  ]);
}

/** The picture as a Mermaid flowchart; names are quoted, so that none of them ends the text. Pure. */
export function mermaidOf(picture: Picture): string {
  const ids = new Map(picture.nodes.map((node, at) => [node.key, `n${at}`]));
  const jobs = new Map(picture.jobs.map((job) => [job.key, job.title]));
  const nodes = picture.nodes.map((node) => {
    const [open, close] = node.kind === "dataset" ? ["[(", ")]"] : ["([", "])"];
    return `  ${ids.get(node.key)}${open}"${quoted(node.title)}"${close}`;
  });
  const flows = picture.flows.map((flow) => {
    const [first] = flow.via;
    const by = first ? quoted(jobs.get(first) ?? "") + (flow.via_total > 1 ? ` +${flow.via_total - 1}` : "") : "";
    const isDirect = flow.kinds.includes("DIRECT") || flow.kinds.includes("UNKNOWN");
    const arrow = isDirect ? "-->" : "-.->";
    return `  ${ids.get(flow.from)} ${arrow}${by ? `|"${by}"|` : ""} ${ids.get(flow.to)}`;
  });
  const start = ids.get(picture.start);
  return ["flowchart LR", ...nodes, ...flows, ...(start ? [`  style ${start} stroke-width:3px`] : [])].join("\n");
}

/** Mermaid reads entities in a quoted text, and nothing else. */
function quoted(text: string): string {
  const short = text.length > 120 ? `${text.slice(0, 59)}…${text.slice(-60)}` : text;
  return short.replace(/[^\p{L}\p{N} _.,:/()@+=-]/gu, (letter) => `#${letter.codePointAt(0)};`);
}
