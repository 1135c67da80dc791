import { Link, useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useMemo, useRef } from "react";
import { useLocale, useTranslations } from "use-intl";
import { useAnswer } from "@/api";
import { linkTo } from "@/frame/links";
import { Page } from "@/frame/Page";
import { kindWord } from "@/frame/SearchBox";
import { Button, cutMiddle, Empty, FailureNote, Marked, number, Skeleton } from "@/parts";
import { optional, text, useMoment, useView } from "@/view";
import { Typed } from "../shared/Field";
import { titleOf } from "../shared/names";
import type { SearchAnswer, SearchHit } from "../shared/records";
import { usePages } from "../shared/usePages";
import { aboutOf, around, kindCounts, meaningsOf, reasonsOf } from "./hits";
import styles from "./SearchPage.module.css";

const VIEW = { q: text(), kind: optional() };

/** Everything that was found: kinds as counts, best first, why each matched. */
export default function SearchPage() {
  const words = useTranslations("pages.search");
  const frame = useTranslations("frame");
  const locale = useLocale();
  const [{ q, kind }, setView] = useView(VIEW);
  const moment = useMoment();
  const asked = q.trim();
  const counts = useAnswer<SearchAnswer>(
    "/api/v2/search",
    { q: asked, limit: 1, mode: "hybrid" },
    { when: asked !== "", keep: true },
  );
  const found = usePages<SearchHit>(
    "/api/v2/search",
    { q: asked, limit: 50, mode: "hybrid", ...(kind ? { kind } : {}) },
    asked !== "",
  );
  const kinds = useMemo(() => kindCounts(counts.data?.totals ?? {}), [counts.data]);
  const all = kinds.reduce((sum, [, count]) => sum + count, 0);
  return (
    <Page title={asked ? words("titleFor", { typed: cutMiddle(asked, 60) }) : words("title")}>
      {moment && <p className="mute">{words("now")}</p>}
      <div className={styles.field}>
        <Typed label={words("label")} value={q} width={480} onType={(typed) => setView({ q: typed, kind: null })} />
      </div>
      {asked === "" ? (
        <Empty title={words("start")}>{words("startText")}</Empty>
      ) : found.error && !found.known ? (
        <FailureNote error={found.error} onRetry={found.again} />
      ) : !found.known ? (
        <Skeleton lines={12} height={36} />
      ) : (
        <>
          <div className="row" role="group" aria-label={words("kinds")}>
            <Button look={kind ? "bare" : "plain"} pressed={kind === null} onClick={() => setView({ kind: null })}>
              {words("all")} {number(all, locale)}
            </Button>
            {kinds.map(([one, count]) => (
              <Button
                key={one}
                look={kind === one ? "plain" : "bare"}
                pressed={kind === one}
                onClick={() => setView({ kind: kind === one ? null : one })}
              >
                {frame(`kind.${kindWord(one)}`)} {number(count, locale)}
              </Button>
            ))}
          </div>
          {counts.data?.notice && counts.data.notice.code !== "model_missing" && (
            <p className="mute">
              {words("byWords")} {counts.data.notice.message}
            </p>
          )}
          {found.rows.length === 0 ? (
            <Empty title={words("none", { typed: cutMiddle(asked, 60) })}>{words("noneText")}</Empty>
          ) : (
            <Hits hits={found.rows} />
          )}
          {found.isMore && (
            <Button disabled={found.isLoadingMore} onClick={found.more}>
              {words("more")}
            </Button>
          )}
        </>
      )}
    </Page>
  );
}

/** The hits as a list of links; arrow keys go from one to the next, Enter opens. */
function Hits({ hits }: { hits: readonly SearchHit[] }) {
  const words = useTranslations("pages.search");
  const list = useRef<HTMLUListElement>(null);
  const navigate = useNavigate();
  const move = (event: KeyboardEvent) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>("a") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    links[(next + links.length) % links.length]?.focus();
  };
  return (
    <ul ref={list} className={styles.hits} aria-label={words("results")} onKeyDown={move}>
      {hits.map((hit) => {
        const to = linkTo({ kind: kindWord(hit.kind), id: hit.id });
        return (
          <li key={hit.key} className={styles.hit}>
            <Link
              to={to.to}
              search={to.search as never}
              className={styles.link}
              onKeyDown={(event) => {
                if (event.key !== "Enter") return;
                event.preventDefault();
                void navigate({ to: to.to, search: to.search as never });
              }}
            >
              <HitText hit={hit} />
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

function HitText({ hit }: { hit: SearchHit }) {
  const frame = useTranslations("frame");
  const words = useTranslations("pages.search");
  const locale = useLocale();
  const inName = hit.highlights.find(({ field }) => field === "name");
  const name = inName ? around(inName.text, inName.marks, 100) : null;
  return (
    <>
      <span className={styles.kind}>{frame(`kind.${kindWord(hit.kind)}`)}</span>
      <span className={styles.text}>
        <span className={styles.name}>
          {name ? (
            <Marked text={name.text} marks={name.marks} />
          ) : (
            <bdi>{cutMiddle(hit.kind === "sql" ? hit.name : titleOf(hit.name, hit.kind).title, 100)}</bdi>
          )}
          {hit.namespace && <bdi className="mute"> {cutMiddle(hit.namespace, 60)}</bdi>}
        </span>
        {meaningsOf(hit).map(({ field, name: column, score }) => (
          <span key={`meaning ${field} ${column ?? ""}`} className={styles.reason}>
            <span className={styles.field_}>{words("meaning")}</span>
            <span className={column ? "mono" : undefined}>
              {`${column ?? ""} ${number(Math.round(score * 100), locale)} %`}
            </span>
          </span>
        ))}
        {aboutOf(hit) && <span className="mute">{cutMiddle(aboutOf(hit) ?? "", 200)}</span>}
        {reasonsOf(hit).map(({ field, text: whole, marks }) => {
          const cut = around(whole, marks);
          return (
            <span key={`${field} ${whole.slice(0, 80)}`} className={styles.reason}>
              <span className={styles.field_}>{words(`field.${field as "column"}`)}</span>
              <span className={field === "sql" || field === "column" ? "mono" : undefined}>
                <Marked text={cut.text} marks={cut.marks} />
              </span>
            </span>
          );
        })}
      </span>
    </>
  );
}
