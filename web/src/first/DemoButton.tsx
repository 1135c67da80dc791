import { useState } from "react";
import { useTranslations } from "use-intl";
import { request, useForget } from "@/api";
import { mayDo, useSession } from "@/frame/session";
import { Button, FailureNote } from "@/parts";
import styles from "./FirstRun.module.css";

/** Loads the demo; administrators only, and the server refuses where anything is. */
export function DemoButton() {
  const words = useTranslations("first.run");
  const { session } = useSession();
  const forget = useForget();
  const [isLoading, setLoading] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  if (!session) return null;
  const load = async () => {
    setLoading(true);
    setFailure(null);
    try {
      await request("POST", "/api/v2/demo");
      await forget("/api/");
    } catch (error) {
      setFailure(error);
    } finally {
      setLoading(false);
    }
  };
  return (
    <section className={styles.demo}>
      <h2>{words("demoTitle")}</h2>
      <p>{words("demoText")}</p>
      {mayDo(session, "admin") ? (
        <div className="row">
          <Button icon="run" disabled={isLoading} onClick={() => void load()}>
            {words(isLoading ? "demoLoading" : "demoLoad")}
          </Button>
        </div>
      ) : (
        <p className="mute">{words("demoAsk")}</p>
      )}
      {failure !== null && <FailureNote error={failure} onRetry={() => void load()} />}
    </section>
  );
}
