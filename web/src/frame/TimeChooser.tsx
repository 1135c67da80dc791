import { useState } from "react";
import { useLocale, useTranslations } from "use-intl";
import { Button, Dialog, exactTime } from "@/parts";
import { useFrameView } from "@/view";
import { fromLocal, toLocal } from "./moment";
import styles from "./TopBar.module.css";

/** Now, or the moment that is looked at; chosen in a dialog, kept in the URL. */
export function TimeChooser() {
  const words = useTranslations("frame.time");
  const locale = useLocale();
  const [{ as_of: moment }, setView] = useFrameView();
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const shown = moment ? exactTime(Date.parse(moment), locale) : null;
  const chosen = fromLocal(typed);
  return (
    <>
      {shown && (
        <Button look="bare" onClick={() => setView({ as_of: null }, { push: true })}>
          {words("back")}
        </Button>
      )}
      <Button
        icon="clock"
        aria-label={shown ? words("past", { moment: shown }) : words("choose")}
        onClick={() => {
          setTyped(toLocal(moment ? new Date(moment) : new Date()));
          setOpen(true);
        }}
      >
        <span className={styles.value}>{shown ?? words("now")}</span>
      </Button>
      <Dialog
        title={words("choose")}
        open={open}
        onClose={() => setOpen(false)}
        actions={
          <>
            <Button
              onClick={() => {
                setOpen(false);
                setView({ as_of: null }, { push: true });
              }}
            >
              {words("back")}
            </Button>
            <Button
              look="main"
              disabled={chosen === null}
              onClick={() => {
                setOpen(false);
                setView({ as_of: chosen }, { push: true });
              }}
            >
              {words("apply")}
            </Button>
          </>
        }
      >
        <p>{words("about")}</p>
        <label className="row">
          {words("label")}
          <input
            type="datetime-local"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            className={styles.input}
          />
        </label>
      </Dialog>
    </>
  );
}
