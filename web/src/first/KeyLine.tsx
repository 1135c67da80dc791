import { useState } from "react";
import { useTranslations } from "use-intl";
import { request } from "@/api";
import { mayDo, useSession } from "@/frame/session";
import { Button, useToast } from "@/parts";
import styles from "./FirstRun.module.css";

const PLACEHOLDER = "hw_…";

/** Where events need a key: how to get one. An administrator makes it here; it is shown this once. */
export function KeyLine({ onKey }: { onKey: (key: string) => void }) {
  const words = useTranslations("first.run");
  const toast = useToast();
  const { session } = useSession();
  const [made, setMade] = useState(false);
  const [isMaking, setMaking] = useState(false);
  if (!session || session.mode === "single_user") return null;
  if (!mayDo(session, "admin")) return <p className={styles.key}>{words("keyAsk", { placeholder: PLACEHOLDER })}</p>;
  if (made) return <p className={styles.key}>{words("keyMade")}</p>;
  const make = async () => {
    setMaking(true);
    try {
      const tenant = session.tenant?.code;
      const body = { roles: ["writer"], name: "first events", ...(tenant ? { tenant } : {}) };
      const { key } = await request<{ key: string }>("POST", "/api/v2/keys", { body });
      onKey(key);
      setMade(true);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error));
    } finally {
      setMaking(false);
    }
  };
  return (
    <p className={styles.key}>
      {words("keyNeeded")}{" "}
      <Button icon="lock" disabled={isMaking} onClick={() => void make()}>
        {words("keyMake")}
      </Button>
    </p>
  );
}
