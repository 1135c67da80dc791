import { type FormEvent, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { useAnswer } from "@/api";
import { Button, cutMiddle, Dialog } from "@/parts";
import { Labelled } from "../shared/Field";
import type { PageOf, TagItem, UserItem } from "../shared/records";
import shared from "../shared/shared.module.css";
import type { Editable } from "./EditMenu";
import styles from "./edits.module.css";
import { MarksField } from "./MarksField";
import { difference, withTyped } from "./marks";
import { type Change, useEdit } from "./useEdit";

export type Wanted = "tags" | "description" | "owners" | "merge" | "split" | "addresses" | "hide" | "show";

const MARKS: readonly Wanted[] = ["tags", "owners"];

/** One change by hand with its reason: what is there, what shall be there, and what the server says to it. */
export function EditDialog({ of, wanted, onClose }: { of: Editable; wanted: Wanted; onClose: () => void }) {
  const words = useTranslations("pages.edits");
  const form = useId();
  const edit = useEdit(onClose);
  const before = (wanted === "tags" ? of.tags : of.owners) ?? [];
  const [marks, setMarks] = useState<readonly string[]>(before);
  const [typed, setTyped] = useState("");
  const [description, setDescription] = useState(of.description ?? "");
  const [untilHeard, setUntilHeard] = useState(false);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [reason, setReason] = useState("");
  const known = useKnown(wanted);
  const changes = changesOf();
  function changesOf(): Change[] {
    const made = reason.trim() ? { reason: reason.trim() } : {};
    const places = withTyped([], typed);
    switch (wanted) {
      case "tags":
      case "owners": {
        const what = difference(before, withTyped(marks, typed));
        if (what.add.length + what.remove.length === 0) return [];
        return [{ route: wanted === "tags" ? "tag" : "own", body: { name: of.id, ...what, ...made } }];
      }
      case "description":
        if (description === (of.description ?? "")) return [];
        return [{ route: "describe", body: { name: of.id, description, ...made } }];
      case "hide":
        return [{ route: "hide", body: { name: of.id, until_heard: untilHeard, ...made } }];
      case "show":
        return [{ route: "hide", body: { name: of.id, undo: true, ...made } }];
      case "merge":
        if (places.length === 0) return [];
        return [{ route: "locations/merge", body: { namespaces: [of.namespaces?.[0] ?? "", ...places], ...made } }];
      case "split":
        if (chosen.length === 0) return [];
        return [{ route: "locations/split", body: { namespaces: chosen, ...made } }];
      case "addresses":
        if (places.length === 0) return [];
        return [{ route: "locations/addresses", body: { location: of.id, addresses: places, ...made } }];
    }
  }
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (changes.length > 0) edit.mutate(changes);
  };
  return (
    <Dialog
      title={words(`act.${wanted}`)}
      open
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{words("cancel")}</Button>
          <Button look="main" type="submit" form={form} disabled={edit.isPending || changes.length === 0}>
            {words(`do.${wanted}`)}
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={send}>
        <p className="mute">
          <bdi>{cutMiddle(of.id, 160)}</bdi>
        </p>
        <p>{words(`about.${wanted}`)}</p>
        {MARKS.includes(wanted) && (
          <MarksField
            label={words(`field.${wanted as "tags"}`)}
            value={marks}
            typed={typed}
            known={known}
            onChange={setMarks}
            onType={setTyped}
          />
        )}
        {wanted === "description" && (
          <Labelled label={words("field.description")}>
            <textarea
              className={shared.input}
              rows={6}
              maxLength={100_000}
              value={description}
              onChange={(event) => setDescription(event.target.value)}
            />
          </Labelled>
        )}
        {(wanted === "merge" || wanted === "addresses") && (
          <Labelled
            label={words(`field.${wanted}`)}
            value={typed}
            maxLength={4000}
            placeholder="postgres://10.0.0.7:5432"
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
        {wanted === "split" && (
          <fieldset className="stack">
            <legend className="mute">{words("field.split")}</legend>
            {of.namespaces?.map((namespace) => (
              <label key={namespace} className={styles.check}>
                <input
                  type="checkbox"
                  checked={chosen.includes(namespace)}
                  onChange={(event) =>
                    setChosen(event.target.checked ? [...chosen, namespace] : chosen.filter((one) => one !== namespace))
                  }
                />
                <bdi>{cutMiddle(namespace, 80)}</bdi>
              </label>
            ))}
          </fieldset>
        )}
        {wanted === "hide" && (
          <label className={styles.check}>
            <input type="checkbox" checked={untilHeard} onChange={(event) => setUntilHeard(event.target.checked)} />
            {words("field.untilHeard")}
          </label>
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

/** Tags or owners that are used already, the most used first. */
function useKnown(wanted: Wanted): readonly string[] {
  const tags = useAnswer<PageOf<TagItem>>("/api/v2/tags", { limit: 500 }, { when: wanted === "tags" });
  const users = useAnswer<PageOf<UserItem>>("/api/v2/users", { limit: 500 }, { when: wanted === "owners" });
  if (wanted === "tags") return tags.data?.items.map(({ tag }) => tag) ?? [];
  return users.data?.items.map(({ name }) => name) ?? [];
}
