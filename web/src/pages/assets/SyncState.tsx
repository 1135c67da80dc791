import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { type components, request, useAnswer, useForget } from "@/api";
import { Badge, Button, Time, type Tone, useToast } from "@/parts";
import styles from "./assets.module.css";

type Status = components["schemas"]["TenantStatus"];

const TONES: Record<Status["state"], Tone> = { LIVE: "plain", WAITING: "stale", SYNCING: "running", READY: "ok" };
const SOON = 1_500;
const LATER = 15_000;

/** Whether events of the catalogs count as they come or a full reading goes on, how far it is, and a way to begin one. */
export function SyncState({ tenant }: { tenant: string }) {
  const words = useTranslations("pages.assets.sync");
  const toast = useToast();
  const forget = useForget();
  const path = `/api/v2/tenants/${encodeURIComponent(tenant)}`;
  const [soon, setSoon] = useState(false);
  const { data } = useAnswer<Status>(`${path}/status`, {}, { every: soon ? SOON : LATER, keep: true });
  const isBusy =
    data !== undefined && (data.state === "SYNCING" || data.assets_waiting > 0 || data.job?.running === true);
  if (data && isBusy !== soon) setSoon(isBusy);
  // what a reading has brought is shown when it is over
  const read = data && !isBusy ? data.catalogs.map((one) => one.cutover_time).join(" ") : null;
  const forgetting = useRef(forget);
  forgetting.current = forget;
  useEffect(() => {
    if (read) void forgetting.current("/api/v2/assets");
  }, [read]);
  if (!data) return null;
  const { state, job, sources, catalogs, assets_waiting: waiting } = data;
  if (state === "LIVE" && sources.length === 0 && waiting === 0) return null;
  const begin = async (metalake: string) => {
    try {
      await request("POST", `${path}/sync`, { body: { metalake } });
      setSoon(true);
      await forget(path);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <section className={styles.sync} aria-label={words("title")}>
      <div className="row-wrap">
        <Badge tone={TONES[state]}>{words(`is.${state}`)}</Badge>
        <span>{words(`about.${state}`)}</span>
        {sources.map(({ metalake }) => (
          <Button key={metalake} icon="run" disabled={job?.running ?? false} onClick={() => void begin(metalake)}>
            {words("begin", { metalake })}
          </Button>
        ))}
      </div>
      {job?.running && (
        <label className="row">
          <span>{words("step", { step: job.step ?? "", done: job.done, total: job.total })}</span>
          <progress className={styles.progress} {...(job.total > 0 ? { value: job.done, max: job.total } : {})} />
        </label>
      )}
      {job && !job.running && job.error && (
        <p role="alert" className={styles.failed}>
          {words("failed")} <bdi>{job.error}</bdi>
        </p>
      )}
      <ul className="row-wrap">
        {catalogs.map((one) => (
          <li key={one.metalake} className="mute">
            <bdi>{one.metalake}</bdi> <Badge>{words(`is.${one.state}`)}</Badge>
            {one.cutover_time && (
              <>
                {" "}
                {words("counts")} <Time at={one.cutover_time} />
              </>
            )}
          </li>
        ))}
        {data.embedding_model === null && <li className="mute">{words("noModel")}</li>}
        {waiting > 0 && <li className="mute">{words("waiting", { count: waiting })}</li>}
      </ul>
    </section>
  );
}
