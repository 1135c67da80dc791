import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { type components, type Failure, request } from "@/api";
import { Badge, Button, FailureNote, Icon, type IconName, Skeleton, type Tone } from "@/parts";
import { partsOf } from "../shared/names";
import shared from "../shared/shared.module.css";
import styles from "./overlay.module.css";

type VerifyAnswer = components["schemas"]["VerifyAnswer"];
type Result = VerifyAnswer["steps"][number]["result"];

const STEPS = [
  "transaction",
  "content",
  "merkle_path",
  "headers",
  "confirmations",
  "readiness",
  "bundle_hash",
  "parents",
] as const;
const ICONS: Record<Result, IconName> = { pass: "check", fail: "close", unknown: "minus" };
const TONES: Record<string, Tone> = { verified: "ok", failed: "failed" };

/** Checks a version step by step against what its overlay answers now. The result is kept nowhere. */
export function Verify({ id }: { id: string }) {
  const words = useTranslations("overlay.verify");
  const { namespace, name } = partsOf(id);
  const overlay = (namespace ?? "").replace(/^overlay:/, "");
  const asked = useMutation<VerifyAnswer, Failure>({
    mutationFn: () => request("POST", "/api/v2/emit/verify", { body: { version: name, overlay } }),
    gcTime: 0,
  });
  return (
    <div className={shared.inside}>
      <p className={shared.sentence}>{words("about")}</p>
      <p>
        <Button look="main" icon="shield" disabled={asked.isPending} onClick={() => asked.mutate()}>
          {words(asked.data || asked.error ? "again" : "start")}
        </Button>
      </p>
      {asked.isPending && <Skeleton lines={8} height={24} />}
      {asked.error && <FailureNote error={asked.error} onRetry={() => asked.mutate()} />}
      {asked.data && !asked.isPending && <Result of={asked.data} />}
      <p className="mute">{words("source")}</p>
    </div>
  );
}

function Result({ of }: { of: VerifyAnswer }) {
  const words = useTranslations("overlay.verify");
  const known = OUTCOMES.find((one) => one === of.outcome) ?? "incomplete";
  return (
    <section className={shared.part} aria-label={words("result")}>
      <p className="row" role="status">
        <Badge tone={TONES[known] ?? "stale"}>{words(`outcome.${known}`)}</Badge>
        <span>{words(`meaning.${known}`)}</span>
      </p>
      <ol className={styles.steps}>
        {of.steps.map(({ name, result, detail }) => {
          const step = STEPS.find((one) => one === name);
          return (
            <li key={name} className={styles.step} data-step={name}>
              <span className={`${styles.mark} ${styles[result]}`}>
                <Icon name={ICONS[result]} />
                {words(`is.${result}`)}
              </span>
              <span className={styles.what}>
                <b>{step ? words(`step.${step}`) : name}</b>
                <bdi className="mute">{detail}</bdi>
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

const OUTCOMES = ["verified", "failed", "incomplete"] as const;
