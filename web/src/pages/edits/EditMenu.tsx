import { useState } from "react";
import { useTranslations } from "use-intl";
import { mayDo, useSession } from "@/frame/session";
import { Menu } from "@/parts";
import { useMoment } from "@/view";
import { EdgeDialog } from "./EdgeDialog";
import { EditDialog, type Wanted } from "./EditDialog";

const EDGES = ["feeds", "fedBy"] as const;

/** What can be changed by hand: a dataset, a column, a job or a location. */
export interface Editable {
  id: string;
  /** What the API knows of it; what is not there cannot be changed of such a thing. */
  tags?: readonly string[];
  owners?: readonly string[];
  description?: string | null;
  hidden?: { since: string | null } | null;
  /** Of a location. */
  namespaces?: readonly string[];
}

/** The menu of what can be changed by hand; not there for who may not, nor while the past is looked at. */
export function EditMenu({ of, small = false }: { of: Editable; small?: boolean }) {
  const words = useTranslations("pages.edits");
  const { session } = useSession();
  const moment = useMoment();
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const [edge, setEdge] = useState<"feeds" | "fedBy" | null>(null);
  if (!mayDo(session, "editor") || moment) return null;
  const offered: readonly [Wanted, boolean][] = [
    ["tags", of.tags !== undefined],
    ["description", of.description !== undefined],
    ["owners", of.owners !== undefined],
    ["merge", of.namespaces !== undefined],
    ["split", (of.namespaces?.length ?? 0) > 1],
    ["addresses", of.namespaces !== undefined],
    [of.hidden ? "show" : "hide", of.hidden !== undefined],
  ];
  return (
    <>
      <Menu
        label={words("change")}
        button={small ? { icon: "pen", look: "bare" } : { icon: "pen" }}
        items={[
          ...offered
            .filter(([, can]) => can)
            .map(([id]) => ({ id, title: words(`act.${id}`), onChoose: () => setWanted(id) })),
          ...(of.namespaces ? [] : EDGES).map((id) => ({
            id,
            title: words(`act.${id}`),
            onChoose: () => setEdge(id),
          })),
        ]}
      >
        {small ? null : words("change")}
      </Menu>
      {edge && (
        <EdgeDialog
          key={edge}
          from={edge === "feeds" ? of.id : null}
          to={edge === "fedBy" ? of.id : null}
          wanted={edge}
          onClose={() => setEdge(null)}
        />
      )}
      {wanted && <EditDialog key={wanted} of={of} wanted={wanted} onClose={() => setWanted(null)} />}
    </>
  );
}
