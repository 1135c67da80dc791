import { useNavigate } from "@tanstack/react-router";
import { useStore } from "@xyflow/react";
import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { linkTo } from "@/frame/links";
import { Button, copyText, useToast } from "@/parts";
import { useView } from "@/view";
import { type Acts, ActsProvider, LightProvider } from "./draw/acts";
import styles from "./LineageCanvas.module.css";
import { useKeys } from "./keys/useKeys";
import { type LaidOut, useLayout } from "./layout/useLayout";
import { endOfItem } from "./link/ends";
import { LinkLayer } from "./link/LinkLayer";
import { LinkProvider } from "./link/LinkContext";
import { useLinking } from "./link/useLinking";
import { EdgePanel } from "./panel/EdgePanel";
import { FlowPanel } from "./panel/FlowPanel";
import { ColumnPanel } from "./panel/ColumnPanel";
import { NodePanel } from "./panel/NodePanel";
import type { Picture } from "./records";
import { grouped } from "./scene/group";
import { type Lit, litOf } from "./scene/light";
import { NOTHING, type Picked, printPick } from "./scene/pick";
import { sceneOf } from "./scene/scene";
import { pickedIn } from "./scene/pickedIn";
import { Stage } from "./Stage";
import { ExportMenu } from "./tools/ExportMenu";
import { FindBox } from "./tools/FindBox";
import { Help } from "./tools/Help";
import { HoverSentence } from "./tools/HoverSentence";
import { Minimap } from "./tools/Minimap";
import { Notice } from "./tools/Notice";
import { Slider } from "./tools/Slider";
import { Toolbar } from "./tools/Toolbar";
import tools from "./tools/tools.module.css";
import { readPlace, type StageControl, useStageControl } from "./tools/useStageControl";
import { CANVAS_VIEW } from "./view";

interface DrawnProps {
  id: string;
  picture: Picture;
  /** Whether it is the answer before, while another one is on its way. */
  isOld: boolean;
  moment: string | null;
  slider: boolean;
  /** Without the tools that ask for another picture. */
  plain?: boolean;
  /** Instead of these, the tools of a picture that is made of another answer; it then explains its edges itself. */
  asking?: ReactNode;
}

/** A picture laid out and drawn, with its tools, and a panel for what is selected. */
export function Drawn({ id, picture, isOld, moment, slider, plain = false, asking }: DrawnProps) {
  const words = useTranslations("canvas");
  const frame = useTranslations("frame");
  const parts = useTranslations("parts");
  const toast = useToast();
  const navigate = useNavigate();
  const root = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLElement>(null);
  const [view, setView] = useView(CANVAS_VIEW);
  const [hovered, setHovered] = useState<Picked | null>(null);
  const [scrolled, setScrolled] = useState<ReadonlyMap<string, number>>(new Map());
  const [tidied, setTidied] = useState(0);
  const [isFinding, setFinding] = useState(false);
  const [isHelping, setHelping] = useState(false);
  const picked = useMemo(() => pickedIn(picture, view.pick, id), [picture, view.pick, id]);
  const litByPick = useMemo(() => (picked ? litOf(picture, picked) : null), [picture, picked]);
  const lit = useMemo(() => litByPick ?? (hovered ? litOf(picture, hovered) : null), [picture, litByPick, hovered]);
  const open = useMemo(() => new Set(view.unfold), [view.unfold]);
  const isPathOfColumn = picked?.kind === "column" || picked?.kind === "edge";
  const opened = useMemo(
    () => (isPathOfColumn ? columnsByCard(litByPick) : picture.compared_to ? changedColumns(picture) : undefined),
    [isPathOfColumn, litByPick, picture],
  );
  const groups = useMemo(
    () => grouped(picture.nodes, view.group, picture.start, new Set(view.ungrouped)),
    [picture, view.group, view.ungrouped],
  );
  const scene = useMemo(
    () =>
      sceneOf(picture, {
        jobs: view.jobs,
        open: view.by === "column" ? "all" : open,
        grouped: groups,
        ...(opened ? { lit: opened } : {}),
      }),
    [picture, view.jobs, view.by, open, opened, groups],
  );
  const whole = [id, moment, view.way, view.by, view.jobs, view.ends, view.hide, view.group, tidied].join("|");
  const laidOut = useLayout(scene, picture.columns, whole);
  const link = useLinking(scene.items, !plain && moment === null && picture.compared_to === null, stage);
  const control = useStageControl(laidOut, view.map);
  const cursor = cursorOf(picked, picture.start, groups.itemOf);

  const acts = useMemo<Acts>(
    () => ({
      pick: (next) => setView({ pick: printPick(next) ?? (id.includes("#") ? NOTHING : null) }),
      hover: setHovered,
      expand: (key, side) => {
        const entry = side === "both" ? key : `${key}:${side}`;
        if (!view.expand.includes(entry)) setView({ expand: [...view.expand, entry] }, { push: true });
      },
      unfold: (key) =>
        setView({
          unfold: view.unfold.includes(key) ? view.unfold.filter((one) => one !== key) : [...view.unfold, key],
        }),
      unfoldGroup: (group) => setView({ ungrouped: [...view.ungrouped, group] }, { push: true }),
      scroll: (key, top) =>
        setScrolled((before) => ((before.get(key) ?? 0) === top ? before : new Map(before).set(key, top))),
      openPage: (node) => void navigate({ to: linkTo(node).to, search: linkTo(node).search as never }),
    }),
    [setView, view.expand, view.unfold, view.ungrouped, navigate, id],
  );
  const leave = useCallback(() => acts.pick(null), [acts]);
  const light = useMemo(() => ({ lit, picked, cursor }), [lit, picked, cursor]);
  const keys = useKeys({
    picture,
    laidOut,
    picked,
    cursor,
    acts,
    control,
    onFind: () => setFinding(true),
    onTidy: () => setTidied((count) => count + 1),
    onHelp: () => setHelping(true),
    onLink: () => {
      const end = endOfItem(scene.items.find(({ id: item }) => item === cursor));
      if (end && link.linking.offers(end.kind)) link.linking.search(end);
    },
  });
  useBeginning(laidOut?.fresh ?? 0, () => {
    const place = readPlace(view.at);
    if (place && laidOut?.places[place.key]) control.centre(place.key, place.zoom, place.right, place.down);
    else control.begin(groups.itemOf(picture.start));
  });
  useFollowingFocus(root, cursor, picked !== null);
  useSeeingNew(laidOut, control);
  useStayingInSight(picked ? cursor : null, control);
  const copyLink = () => {
    const address = new URL(location.href);
    const place = control.place();
    if (place) address.searchParams.set("at", place);
    void copyText(address.href).then((done) => toast(parts(done ? "copied" : "notCopied")));
  };
  const fullScreen = () =>
    void (document.fullscreenElement ? document.exitFullscreen() : root.current?.requestFullscreen());
  const node = picked?.kind === "node" || picked?.kind === "column" ? nodeOf(picture, picked.key) : undefined;
  const hasPanel = picked !== null && (node !== undefined || picked.kind === "flow" || picked.kind === "edge");
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- keys act on the cards that have the focus
    <div className={`${styles.canvas} ${hasPanel ? styles.withPanel : ""}`} ref={root} onKeyDown={keys}>
      <ActsProvider value={acts}>
        <Toolbar view={view} setView={setView} {...(plain ? { asking } : {})} plain={plain}>
          <Button look="bare" icon="search" label={words("tools.find")} onClick={() => setFinding(true)} />
          <Button look="bare" icon="minus" label={words("tools.zoomOut")} onClick={() => control.zoomBy(0.8)} />
          <Button look="bare" icon="plus" label={words("tools.zoomIn")} onClick={() => control.zoomBy(1.25)} />
          <Button look="bare" icon="fit" label={words("tools.fit")} onClick={control.fit} />
          <Button look="bare" icon="tidy" label={words("tools.tidy")} onClick={() => setTidied(tidied + 1)} />
          <Button
            look="bare"
            icon="map"
            label={words("tools.map")}
            pressed={view.map}
            onClick={() => setView({ map: !view.map })}
          />
          <Button look="bare" icon="full" label={words("tools.full")} onClick={fullScreen} />
          {laidOut && <ExportMenu picture={picture} laidOut={laidOut} />}
          <Button look="bare" icon="link" label={words("tools.link")} onClick={copyLink} />
          <Button look="bare" icon="keys" label={words("tools.help")} onClick={() => setHelping(true)} />
        </Toolbar>
        <section
          ref={stage}
          className={`${styles.stage} ${isOld ? styles.waiting : ""}`}
          aria-label={words("label")}
          aria-busy={isOld}
        >
          {laidOut && (
            <LightProvider value={light}>
              <LinkProvider value={link.linking}>
                <Stage
                  laidOut={laidOut}
                  start={picture.start}
                  scrolled={scrolled}
                  edges={picture.columns}
                  lit={lit}
                  picked={picked}
                  onPick={acts.pick}
                  onHover={setHovered}
                  onGround={leave}
                  onGroup={acts.unfoldGroup}
                />
              </LinkProvider>
            </LightProvider>
          )}
          <LinkLayer of={link} />
          {isFinding && (
            <FindBox
              picture={picture}
              onShow={(key) => {
                acts.pick({ kind: "node", key });
                control.centre(groups.itemOf(key));
              }}
              onColumn={(key, column) => {
                acts.pick({ kind: "column", key, column });
                control.centre(groups.itemOf(key));
              }}
              onClose={() => setFinding(false)}
            />
          )}
          {!isFinding && (
            <Notice picture={picture} view={view} setView={setView} hovers={!picked && hovered?.kind === "column"}>
              <HoverSentence picture={picture} hovered={picked ? null : hovered} />
            </Notice>
          )}
          <div className={tools.foot}>
            {slider ? <Slider picture={picture} days={view.days} onDays={(days) => setView({ days })} /> : <span />}
            {view.map && laidOut && <Minimap laidOut={laidOut} lit={lit} control={control} />}
          </div>
        </section>
        {hasPanel && (
          <aside className={styles.panel} aria-label={frame("panel")}>
            <Button look="bare" icon="close" label={frame("panelClose")} className={styles.close} onClick={leave} />
            {(picked.kind === "flow" || picked.kind === "edge") && (
              <FlowOrEdge picture={picture} picked={picked} moment={moment} isOwn={asking !== undefined} />
            )}
            {picked.kind === "node" && node && <NodePanel node={node} picture={picture} />}
            {picked.kind === "column" && node && <ColumnPanel node={node} column={picked.column} moment={moment} />}
          </aside>
        )}
      </ActsProvider>
      <Help open={isHelping} onClose={() => setHelping(false)} />
    </div>
  );
}

/** An edge between datasets is explained by the server; what a job or run reads and writes, by the picture. */
function FlowOrEdge({
  picture,
  picked,
  moment,
  isOwn,
}: {
  picture: Picture;
  picked: Extract<Picked, { kind: "flow" | "edge" }>;
  moment: string | null;
  isOwn: boolean;
}) {
  const ends = [nodeOf(picture, picked.from), nodeOf(picture, picked.to)];
  const isJob = ends.some((node) => node && ["job", "run", "operation"].includes(node.kind));
  return isJob || isOwn ? (
    <FlowPanel picture={picture} picked={picked} />
  ) : (
    <EdgePanel picked={picked} moment={moment} />
  );
}

function nodeOf(picture: Picture, key: string) {
  return picture.nodes.find((node) => node.key === key);
}

function cursorOf(picked: Picked | null, start: string, itemOf: (key: string) => string): string {
  if (picked?.kind === "node" || picked?.kind === "column") return itemOf(picked.key);
  return itemOf(picked ? picked.to : start);
}

function columnsByCard(lit: Lit | null): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const id of lit?.columns ?? []) {
    const cut = id.indexOf("#");
    const [key, column] = [id.slice(0, cut), id.slice(cut + 1)];
    if (!column) continue;
    const known = found.get(key);
    if (known) known.add(column);
    else found.set(key, new Set([column]));
  }
  return found;
}

/** Columns that came, went or changed are listed on folded cards too. */
function changedColumns(picture: Picture): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const node of picture.nodes) {
    const names = node.columns.filter(({ change }) => change !== null).map(({ name }) => name);
    if (node.change === "changed" && names.length > 0) found.set(node.key, new Set(names));
  }
  return found;
}

/** Once after each fresh layout. */
function useBeginning(fresh: number, begin: () => void): void {
  const known = useRef(begin);
  known.current = begin;
  useEffect(() => {
    if (fresh === 0) return;
    const waiting = requestAnimationFrame(() => known.current());
    return () => cancelAnimationFrame(waiting);
  }, [fresh]);
}

/** Moves to the first of the cards that an expansion has brought. */
function useSeeingNew(laidOut: LaidOut | null, control: StageControl): void {
  const before = useRef(laidOut);
  useEffect(() => {
    const known = before.current;
    before.current = laidOut;
    if (!laidOut || known?.fresh !== laidOut.fresh) return;
    const added = laidOut.scene.items.find((item) => item.kind === "card" && !known.places[item.id]);
    if (added) control.show(added.id);
  }, [laidOut, control]);
}

/** Keeps what is selected in sight when the room changes, as it does when the panel opens. */
function useStayingInSight(id: string | null, control: StageControl): void {
  const width = useStore((state) => state.width);
  const before = useRef(width);
  useEffect(() => {
    const changed = before.current !== width && before.current > 0;
    before.current = width;
    if (changed && id) control.show(id);
  }, [width, id, control]);
}

/** Keeps the focus at the card that the arrow keys have come to, if the focus is on the canvas. */
function useFollowingFocus(root: RefObject<HTMLDivElement | null>, cursor: string, isPicked: boolean): void {
  useEffect(() => {
    if (!isPicked) return;
    const waiting = setTimeout(() => {
      const active = document.activeElement;
      const isIdle = active === document.body || active?.closest("[data-card]");
      if (!isIdle || active?.closest(`[data-card="${CSS.escape(cursor)}"]`)) return;
      const card = root.current?.querySelector(`[data-card="${CSS.escape(cursor)}"]`);
      (card?.matches("button") ? (card as HTMLElement) : card?.querySelector<HTMLElement>("button"))?.focus({
        preventScroll: true,
      });
    }, 30);
    return () => clearTimeout(waiting);
  }, [root, cursor, isPicked]);
}
