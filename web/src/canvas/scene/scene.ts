import type { Change, Picture, PictureColumn, PictureFlow, PictureJob, PictureNode } from "../records";
import { between, type Grouped } from "./group";
import { flowId } from "./pick";
import { CARD_WIDTH, cardHeight, GROUP_HEIGHT, PILL_HEIGHT, pillWidth } from "./size";

/** How jobs are drawn: as pills between the cards, or not. Where jobs are nodes of the picture they are cards of their own. */
export type JobLook = "pills" | "hidden";

export interface CardItem {
  kind: "card";
  id: string;
  width: number;
  height: number;
  node: PictureNode;
  /** The columns that are listed, or null while the card is folded. */
  rows: readonly PictureColumn[] | null;
}

/** The jobs that one or more flows into the same node lead through. */
export interface PillItem {
  kind: "pill";
  id: string;
  width: number;
  height: number;
  jobs: readonly PictureJob[];
  total: number;
  flows: readonly PictureFlow[];
}

/** Nodes that are drawn as one. */
export interface GroupItem {
  kind: "group";
  id: string;
  width: number;
  height: number;
  title: string;
  rest: string;
  storage: string | null;
  members: readonly PictureNode[];
}

export type Item = CardItem | PillItem | GroupItem;

/** A line between two items. It stands for these flows; a line next to a pill is a part of them. */
export interface Line {
  id: string;
  from: string;
  to: string;
  flows: readonly PictureFlow[];
  /** Layers that the line crosses where pills have layers of their own. */
  span: number;
  look: LineLook;
}

export interface LineLook {
  kind: "direct" | "indirect" | "unknown";
  masked: boolean;
  current: boolean;
  byHand: boolean;
  change: Change;
}

export interface Scene {
  items: readonly Item[];
  lines: readonly Line[];
}

export interface SceneOptions {
  jobs: JobLook;
  /** Keys of the cards whose columns are listed, or all of them. */
  open: ReadonlySet<string> | "all";
  /** By folded card, the columns that are listed all the same: those on the path that is lit. */
  lit?: ReadonlyMap<string, ReadonlySet<string>>;
  grouped?: Grouped;
}

/** What is drawn of a picture: cards, groups, pills of jobs, and the lines between them. */
export function sceneOf(picture: Pick<Picture, "nodes" | "flows" | "jobs">, options: SceneOptions): Scene {
  const { grouped } = options;
  const itemOf = grouped?.itemOf ?? ((key: string) => key);
  const items: Item[] = (grouped?.nodes ?? picture.nodes).map((node) => cardOf(node, options));
  const isGroup = new Set<string>();
  for (const { id, title, rest, storage, members } of grouped?.groups ?? []) {
    isGroup.add(id);
    items.push({ kind: "group", id, width: CARD_WIDTH, height: GROUP_HEIGHT, title, rest, storage, members });
  }
  const jobs = new Map(picture.jobs.map((job) => [job.key, job]));
  const hasPills = options.jobs === "pills" && picture.nodes.every(({ kind }) => !JOBS.has(kind));
  const pills = new Map<string, { to: string; flows: PictureFlow[] }>();
  const lines: Line[] = [];
  for (const { from, to, flows } of between(picture.flows, itemOf)) {
    const [flow] = flows as [PictureFlow];
    if (!hasPills || isGroup.has(from) || isGroup.has(to) || flow.via.length === 0 || from === to)
      lines.push(lineOf(from, to, flows, hasPills ? 2 : 1));
    else {
      const id = `pill:${flow.to}:${flow.via.join(",")}:${flow.change ?? ""}`;
      const known = pills.get(id);
      if (known) known.flows.push(flow);
      else pills.set(id, { to: flow.to, flows: [flow] });
    }
  }
  for (const [id, { to, flows }] of pills) {
    const [first] = flows as [PictureFlow];
    const known = first.via.flatMap((key) => jobs.get(key) ?? []);
    const title = known[0]?.title ?? "";
    const width = pillWidth(first.via_total > 1 ? `${title} +${first.via_total - 1}` : title);
    items.push({ kind: "pill", id, width, height: PILL_HEIGHT, jobs: known, total: first.via_total, flows });
    for (const flow of flows) lines.push(lineOf(flow.from, id, [flow], 1));
    lines.push(lineOf(id, to, flows, 1));
  }
  return { items, lines };
}

const JOBS: ReadonlySet<string> = new Set(["job", "run", "operation"]);

function cardOf(node: PictureNode, { open, lit }: SceneOptions): CardItem {
  const own = lit?.get(node.key);
  const isOpen = open === "all" || open.has(node.key);
  const rows = isOpen ? node.columns : own ? node.columns.filter(({ name }) => own.has(name)) : null;
  const height = cardHeight(node.columns_total, rows?.length ?? null);
  return { kind: "card", id: node.key, width: CARD_WIDTH, height, node, rows };
}

export function lineOf(from: string, to: string, flows: readonly PictureFlow[], span: number): Line {
  return { id: flowId(from, to), from, to, flows, span, look: lookOf(flows) };
}

/** The look of a line that stands for several flows: what some of them are wins over what none of them is. */
export function lookOf(flows: readonly PictureFlow[]): LineLook {
  const kinds = new Set(flows.flatMap((flow) => flow.kinds));
  const changes = new Set(flows.map((flow) => flow.change));
  return {
    kind: kinds.has("DIRECT") ? "direct" : kinds.has("INDIRECT") ? "indirect" : "unknown",
    masked: flows.length > 0 && flows.every((flow) => flow.masked === true),
    current: flows.some((flow) => flow.current),
    byHand: flows.some((flow) => flow.origins.some((origin) => BY_HAND.has(origin))),
    change: changes.size === 1 ? (flows[0]?.change ?? null) : changes.size > 1 ? "changed" : null,
  };
}

const BY_HAND: ReadonlySet<string> = new Set(["person", "manual", "edit"]);
