import { useTranslations } from "use-intl";
import { Page } from "@/frame/Page";
import { Badge, cutEnd, Duration, Figure, Sql } from "@/parts";
import { EntityPage, MomentNote } from "../shared/EntityPage";
import { Part } from "../shared/Facts";
import { Head } from "../shared/Head";
import { RunsTable } from "../shared/RunsTable";
import type { StatementEntity } from "../shared/records";
import shared from "../shared/shared.module.css";
import { Things } from "../shared/Thing";
import { Fresh } from "../shared/ThingHead";

/** One SQL statement: its text, what it reads and writes, who executes it, how often and how long. */
export default function StatementPage() {
  return (
    <EntityPage<StatementEntity> list="sql" kind="statement">
      {(statement) => <Known statement={statement} />}
    </EntityPage>
  );
}

function Known({ statement }: { statement: StatementEntity }) {
  const words = useTranslations("pages.things");
  const title = cutEnd(statement.text.replaceAll(/\s+/g, " "), 70) || statement.id;
  const { use } = statement;
  return (
    <Page
      title={title}
      fill
      head={
        <>
          <Head kind="statement" title={title} whole={statement.text} mono>
            {statement.dialect && <Badge>{statement.dialect}</Badge>}
            <span>
              <Figure value={use?.runs ?? statement.executions} /> <span className="mute">{words("executed")}</span>
            </span>
            {use && use.failed > 0 && (
              <span>
                <Figure value={use.failed} /> <span className="mute">{words("failed")}</span>
              </span>
            )}
            {use?.duration_ms !== null && use?.duration_ms !== undefined && (
              <span>
                <Duration milliseconds={use.duration_ms} /> <span className="mute">{words("inAll")}</span>
              </span>
            )}
            <Fresh word={words("lastRun")} at={use?.last_run ?? statement.last_seen} />
            <Fresh word={words("since")} at={statement.first_seen} />
          </Head>
          <MomentNote />
        </>
      }
    >
      <div className={shared.inside}>
        {statement.summary && (
          <Part title={words("summary")}>
            <div className={shared.box}>
              <p>
                <bdi>{statement.summary.summary}</bdi>
              </p>
              <span className="row-wrap">
                {statement.summary.tags.map((tag) => (
                  <Badge key={tag}>{tag}</Badge>
                ))}
              </span>
            </div>
          </Part>
        )}
        <Sql statement={statement.text} dialect={statement.dialect} />
        <div className={shared.columns}>
          <Part title={words("reads")}>
            <div className={`${shared.box} ${shared.scroll}`}>
              <Things ids={statement.inputs} none={words("readsNothing")} />
            </div>
          </Part>
          <Part title={words("writes")}>
            <div className={`${shared.box} ${shared.scroll}`}>
              <Things ids={statement.outputs} none={words("writesNothing")} />
            </div>
          </Part>
          <Part title={words("usedBy")}>
            <div className={`${shared.box} ${shared.scroll}`}>
              <Things ids={statement.jobs} none={words("usedByNobody")} />
            </div>
          </Part>
        </div>
        <Part title={words("executions")}>
          <RunsTable filters={{ sql: statement.id }} label={words("executions")} />
        </Part>
      </div>
    </Page>
  );
}
