import { useTranslations } from "use-intl";
import { Page } from "@/frame/Page";
import { Figure } from "@/parts";
import { EntityPage, MomentNote } from "../shared/EntityPage";
import { Part } from "../shared/Facts";
import { Head } from "../shared/Head";
import { RunsTable } from "../shared/RunsTable";
import type { UserEntity } from "../shared/records";
import shared from "../shared/shared.module.css";
import { Things } from "../shared/Thing";
import { Fresh } from "../shared/ThingHead";

const NOT_THE_USER = ["user"];

/** Somebody who started runs, or who owns something. */
export default function UserPage() {
  return (
    <EntityPage<UserEntity> list="users" kind="user">
      {(user) => <Known user={user} />}
    </EntityPage>
  );
}

function Known({ user }: { user: UserEntity }) {
  const words = useTranslations("pages.things");
  return (
    <Page
      title={user.name}
      fill
      head={
        <>
          <Head kind="user" title={user.name} whole={user.id}>
            <span>
              <Figure value={user.runs_total} /> <span className="mute">{words("runs")}</span>
            </span>
            <span>
              <Figure value={user.owns_total} /> <span className="mute">{words("owned")}</span>
            </span>
            <Fresh word={words("lastRun")} at={user.last_seen} />
          </Head>
          <MomentNote />
        </>
      }
    >
      <div className={shared.inside}>
        <Part
          title={words("owns")}
          about={user.owns_total > user.owns.length ? words("first", { count: user.owns.length }) : null}
        >
          <div className={`${shared.box} ${shared.scroll}`}>
            <Things ids={user.owns} none={words("ownsNothing")} />
          </div>
        </Part>
        <Part title={words("started")}>
          <RunsTable filters={{ user: user.name }} without={NOT_THE_USER} label={words("started")} />
        </Part>
      </div>
    </Page>
  );
}
