import { type FormEvent, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { Button, cutMiddle, Dialog } from "@/parts";
import { Labelled } from "../shared/Field";
import { Picker } from "../shared/Picker";
import styles from "./edits.module.css";
import { type EdgeWanted, edgeChange } from "./edgeChange";
import { useEdit } from "./useEdit";

/** An edge by hand: one end is there, the other is searched for; or both are, and it is removed, hidden or shown. */
export function EdgeDialog({
  from,
  to,
  wanted,
  onClose,
}: {
  from: string | null;
  to: string | null;
  wanted: EdgeWanted;
  onClose: () => void;
}) {
  const words = useTranslations("pages.edits");
  const form = useId();
  const edit = useEdit(onClose);
  const [other, setOther] = useState<string | null>(null);
  const [reason, setReason] = useState("");
  const source = from ?? other;
  const target = to ?? other;
  const columns = (from ?? to ?? "").includes("#");
  const change = source && target ? edgeChange(wanted, source, target, reason) : null;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (change) edit.mutate([change]);
  };
  return (
    <Dialog
      title={words(`act.${wanted}`)}
      open
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{words("cancel")}</Button>
          <Button look="main" type="submit" form={form} disabled={edit.isPending || !change}>
            {words(`do.${wanted}`)}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={send}>
        <p className="mute">
          <bdi>{cutMiddle(source ?? "…", 100)}</bdi>
          {" → "}
          <bdi>{cutMiddle(target ?? "…", 100)}</bdi>
        </p>
        <p>{words(`about.${wanted}`)}</p>
        {(from === null || to === null) && (
          <Picker
            label={words("field.otherEnd")}
            value={other}
            onPick={setOther}
            kinds={columns ? ["column"] : ["dataset", "job"]}
          />
        )}
        <Labelled
          label={words("field.reason")}
          value={reason}
          maxLength={1000}
          onChange={(event) => setReason(event.target.value)}
        />
        {edit.error && (
          <p className={styles.failed} role="alert">
            {edit.error.message} {edit.error.hint}
          </p>
        )}
      </form>
    </Dialog>
  );
}
