import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { useForget } from "@/api";
import { linkTo } from "@/frame/links";
import { Page } from "@/frame/Page";
import { Button, copyText, Tabs, useToast } from "@/parts";
import { oneOf, useView } from "@/view";
import { DemoButton } from "./DemoButton";
import styles from "./FirstRun.module.css";
import { KeyLine } from "./KeyLine";
import { newRunId, PRODUCERS, snippet } from "./snippets";
import { useStore } from "./useStore";

const VIEW = { with: oneOf(PRODUCERS) };

/** The page of an empty store: how to send the first event, until one has arrived. */
export function FirstRun({ onDone }: { onDone: () => void }) {
  const words = useTranslations("first.run");
  const parts = useTranslations("parts");
  const toast = useToast();
  const forget = useForget();
  const store = useStore();
  const [view, setView] = useView(VIEW);
  const [event] = useState(() => ({ now: new Date(), run: newRunId() }));
  const [key, setKey] = useState<string | null>(null);
  const text = snippet(view.with, { url: location.origin, key }, event.now, event.run);
  const leave = () => void forget("/api/").then(onDone);
  return (
    <Page title={words("title")} head={null}>
      <div className={styles.whole}>
        <h1>{words("title")}</h1>
        <p className="prose">{words("text")}</p>
        {store.isEmpty === false ? (
          <Arrived job={store.first.job} dataset={store.first.dataset} onDone={leave} />
        ) : (
          <p className={styles.waiting} role="status">
            <span className={styles.pulse} aria-hidden="true" />
            {words("waiting")}
          </p>
        )}
        <KeyLine onKey={setKey} />
        <Tabs
          label={words("producers")}
          tabs={PRODUCERS.map((id) => ({ id, title: words(`producer.${id}`) }))}
          chosen={view.with}
          onChoose={(chosen) => setView({ with: chosen })}
        >
          <p className={styles.about}>{words(`about.${view.with}`)}</p>
          <div className={styles.snippet}>
            <pre tabIndex={0} aria-label={words(`producer.${view.with}`)}>
              {text}
            </pre>
            <Button
              icon="copy"
              className={styles.copy}
              onClick={() => void copyText(text).then((done) => toast(parts(done ? "copied" : "notCopied")))}
            >
              {parts("copy")}
            </Button>
          </div>
        </Tabs>
        {store.isEmpty !== false && <DemoButton />}
      </div>
    </Page>
  );
}

function Arrived({ job, dataset, onDone }: { job: string | null; dataset: string | null; onDone: () => void }) {
  const words = useTranslations("first.run");
  const id = dataset ?? job;
  const to = id ? linkTo({ kind: dataset ? "dataset" : "job", id }) : null;
  return (
    <div className={styles.arrived} role="status">
      <p>
        <b>{words("arrived")}</b>
      </p>
      <div className="row">
        {to && (
          <Link to={to.to} search={to.search as never}>
            <bdi>{id?.replace(/^(dataset|job):/, "")}</bdi>
          </Link>
        )}
        <Button look="main" onClick={onDone}>
          {words("go")}
        </Button>
      </div>
    </div>
  );
}
