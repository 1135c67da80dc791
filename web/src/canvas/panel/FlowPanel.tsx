import { useTranslations } from "use-intl";
import { Facts } from "@/pages/shared/Facts";
import { Thing, Things } from "@/pages/shared/Thing";
import { Badge, cutMiddle, Time } from "@/parts";
import type { Picture } from "../records";
import { strong } from "./marks";
import styles from "./Panel.module.css";

const JOBS: ReadonlySet<string> = new Set(["job", "run", "operation"]);

/** What a job or run reads or writes, or what a version is made from, as the picture has it. */
export function FlowPanel({ picture, picked }: { picture: Picture; picked: { from: string; to: string } }) {
  const words = useTranslations("canvas.flow");
  const panel = useTranslations("canvas.panel");
  const node = (key: string) => picture.nodes.find((one) => one.key === key);
  const [from, to] = [node(picked.from), node(picked.to)];
  const flow = picture.flows.find((one) => one.from === picked.from && one.to === picked.to);
  if (!from || !to || !flow) return null;
  const code = JOBS.has(from.kind) ? (JOBS.has(to.kind) ? "starts" : "writes") : JOBS.has(to.kind) ? "reads" : "parent";
  return (
    <div className={styles.panel}>
      <p className={styles.sentence}>
        {words.rich(code, {
          job: cutMiddle(JOBS.has(from.kind) ? from.title : to.title, 80),
          dataset: cutMiddle(JOBS.has(from.kind) ? to.title : from.title, 80),
          n: strong,
        })}
      </p>
      <div className="row-wrap">
        {!flow.current && <Badge>{panel("notCurrent")}</Badge>}
        {flow.masked === true && <Badge tone="stale">{panel("masked")}</Badge>}
      </div>
      <Facts
        of={[
          [panel("from"), <Thing key="from" id={from.id} />],
          [panel("to"), <Thing key="to" id={to.id} />],
          [panel("reportedBy"), flow.via.length > 0 && <Things key="by" ids={jobsOf(picture, flow.via)} />],
          [panel("firstSeen"), flow.first_seen && <Time at={flow.first_seen} />],
          [panel("lastSeen"), flow.last_seen && <Time at={flow.last_seen} />],
        ]}
      />
    </div>
  );
}

function jobsOf(picture: Picture, keys: readonly string[]): string[] {
  return picture.jobs.filter(({ key }) => keys.includes(key)).map(({ id }) => id);
}
