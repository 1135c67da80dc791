import { useTranslations } from "use-intl";
import { type components, Failure, useAnswer } from "@/api";
import { Page } from "@/frame/Page";
import { mayDo, useSession } from "@/frame/session";
import { Answer, FailureNote, Skeleton, Tabs } from "@/parts";
import { oneOf, useView } from "@/view";
import { Charts } from "./Charts";
import { Keys } from "./Keys";
import { Models } from "./Models";
import styles from "./Operations.module.css";
import { Pipeline } from "./Pipeline";
import { Refused } from "./Refused";
import { Tasks } from "./Tasks";
import { Tenants } from "./Tenants";

const TABS = ["refused", "pipeline", "tasks", "models", "keys", "tenants"] as const;
const VIEW = { tab: oneOf(TABS) };
const LOOK_AGAIN = 10_000;

/** For who runs the server: is ingest healthy, what was refused and why, who may send. */
export default function Operations() {
  const words = useTranslations("operations");
  const { session, error } = useSession();
  const [{ tab }, setView] = useView(VIEW);
  const load = useAnswer<components["schemas"]["LoadAnswer"]>("/health/load", {}, { every: LOOK_AGAIN });
  const isAdmin = mayDo(session, "admin");
  if (!session || !mayDo(session, "editor"))
    return (
      <Page title={words("title")}>
        {session ? (
          <FailureNote error={new Failure("forbidden", words("needs"))} />
        ) : error ? (
          <FailureNote error={error} />
        ) : (
          <Skeleton lines={8} />
        )}
      </Page>
    );
  const tabs = TABS.filter((id) => isAdmin || ["refused", "pipeline", "tasks"].includes(id));
  return (
    <Page title={words("title")}>
      <div className={styles.whole}>
        <Answer of={load} skeleton={<Skeleton lines={4} height={120} />}>
          {({ slots }) => <Charts slots={slots} now={load.dataUpdatedAt} />}
        </Answer>
        <Tabs
          label={words("title")}
          tabs={tabs.map((id) => ({ id, title: words(`tab.${id}`) }))}
          chosen={tab}
          onChoose={(id) => setView({ tab: id })}
        >
          {tab === "refused" && <Refused />}
          {tab === "pipeline" && <Pipeline />}
          {tab === "tasks" && <Tasks />}
          {tab === "models" && isAdmin && <Models />}
          {tab === "keys" && isAdmin && <Keys />}
          {tab === "tenants" && isAdmin && <Tenants />}
        </Tabs>
      </div>
    </Page>
  );
}
