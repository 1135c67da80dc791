import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { Button, Dialog } from "@/parts";
import { Choice, Labelled } from "../shared/Field";
import { createChange, type NewThing, NOTHING_YET } from "./createChange";
import styles from "./edits.module.css";
import { useEdit } from "./useEdit";

const FIELDS = [
  ["tool", 200],
  ["id", 1000],
  ["title", 1000],
  ["url", 1000],
  ["description", 10_000],
  ["owners", 2000],
] as const;

/** A chart or dashboard that no event names, made by hand; then its page, where edges are added. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const words = useTranslations("pages.edits");
  const form = useId();
  const navigate = useNavigate();
  const [of, setOf] = useState<NewThing>(NOTHING_YET);
  const change = createChange(of);
  const edit = useEdit(() => {
    onClose();
    const { tool, id, kind } = of;
    void navigate({ to: "/dataset" as "/", search: { id: `dataset:${tool.trim()}:${kind}.${id.trim()}` } as never });
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (change) edit.mutate([change]);
  };
  return (
    <Dialog
      title={words("create.title")}
      open
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{words("cancel")}</Button>
          <Button look="main" type="submit" form={form} disabled={edit.isPending || !change}>
            {words("create.do")}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={send}>
        <p>{words("create.about")}</p>
        <Choice
          label={words("create.kind")}
          value={of.kind}
          options={[
            ["dashboard", words("create.dashboard")],
            ["chart", words("create.chart")],
          ]}
          onChoose={(kind) => setOf({ ...of, kind })}
        />
        {FIELDS.map(([name, most]) => (
          <Labelled
            key={name}
            label={words(`create.field.${name}`)}
            value={of[name]}
            maxLength={most}
            onChange={(event) => setOf({ ...of, [name]: event.target.value })}
          />
        ))}
        {edit.error && (
          <p className={styles.failed} role="alert">
            {edit.error.message} {edit.error.hint}
          </p>
        )}
      </form>
    </Dialog>
  );
}
