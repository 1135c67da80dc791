import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { Failure } from "@/api";
import { Page } from "@/frame/Page";
import { useSigning } from "@/frame/session";
import { Button } from "@/parts";
import { optional, useView } from "@/view";
import { pathWithin } from "./back";
import styles from "./SignIn.module.css";

const VIEW = { back: optional() };

/** Signing in with a key. The key is sent once and kept by nobody here: the server answers with a cookie that no script reads. */
export default function SignIn() {
  const words = useTranslations("first.signIn");
  const navigate = useNavigate();
  const { signIn } = useSigning();
  const [{ back }] = useView(VIEW);
  const [key, setKey] = useState("");
  const [failure, setFailure] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setSending(true);
    setFailure(null);
    try {
      await signIn(key.trim());
      await navigate({ href: pathWithin(back) });
    } catch (error) {
      const refused = error instanceof Failure && ["signed_out", "forbidden"].includes(error.kind);
      setFailure(refused ? words("refused") : error instanceof Error ? error.message : String(error));
    } finally {
      setSending(false);
    }
  };
  return (
    <Page title={words("title")} head={null}>
      <form className={styles.form} onSubmit={(event) => void send(event)}>
        <h1>{words("title")}</h1>
        <p className="mute">{words("text")}</p>
        <label className={styles.field}>
          {words("key")}
          <input
            type="password"
            autoComplete="current-password"
            required
            value={key}
            onChange={(event) => setKey(event.target.value)}
            aria-invalid={failure !== null}
            aria-describedby={failure ? "sign-in-failure" : undefined}
          />
        </label>
        {failure && (
          <p id="sign-in-failure" role="alert" className={styles.failure}>
            {failure}
          </p>
        )}
        <Button type="submit" look="main" disabled={isSending || key.trim() === ""}>
          {words("send")}
        </Button>
      </form>
    </Page>
  );
}
