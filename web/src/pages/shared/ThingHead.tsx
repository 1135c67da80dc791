import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Badge, Time } from "@/parts";
import { EditMenu, type Editable } from "../edits/EditMenu";
import { MomentNote } from "./EntityPage";
import { Head } from "./Head";
import { Owners, Tags } from "./Marks";
import { partsOf } from "./names";
import { Thing } from "./Thing";

/** The head of a dataset's, job's or location's page: name, place, tags, owners, what somebody did by hand, freshness. */
export function ThingHead({
  kind,
  of,
  title,
  location,
  badges,
  children,
  actions,
}: {
  kind: string;
  of: Editable;
  /** As people call it, if not by its name. */
  title?: string | null | undefined;
  location?: string | null;
  badges?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  const words = useTranslations("pages.entity");
  const parts = partsOf(of.id);
  return (
    <>
      <Head
        kind={kind}
        title={title ?? parts.title}
        rest={title ? of.id.replace(/^dataset:/, "") : parts.rest}
        whole={of.id}
        actions={
          <>
            {actions}
            <EditMenu of={of} />
          </>
        }
      >
        {badges}
        {of.hidden && <Badge tone="stale">{words("hidden")}</Badge>}
        {location && <Thing id={location} most={48} />}
        {of.tags && of.tags.length > 0 && (
          <span className="row">
            <Tags tags={of.tags.slice(0, 12)} />
          </span>
        )}
        {of.owners && of.owners.length > 0 && (
          <span className="row">
            <span className="mute">{words("owners")}</span>
            <Owners owners={of.owners.slice(0, 8)} />
          </span>
        )}
        {children}
      </Head>
      <MomentNote />
    </>
  );
}

/** "last written 3 hours ago" and the like. */
export function Fresh({ word, at }: { word: string; at: string | null | undefined }) {
  if (!at) return null;
  return (
    <span>
      <span className="mute">{word}</span> <Time at={at} />
    </span>
  );
}
