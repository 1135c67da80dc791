import { useState } from "react";
import { useTranslations } from "use-intl";
import { useAnswer } from "@/api";
import { mayDo, useSession } from "@/frame/session";
import { Button, Time } from "@/parts";
import { useMoment } from "@/view";
import { Facts } from "../shared/Facts";
import { datasetOf, partsOf } from "../shared/names";
import { EdgeDialog } from "./EdgeDialog";
import { EdgeHistory } from "./EdgeHistory";
import type { EdgeWanted } from "./edgeChange";

interface HandEdge {
  id: string;
  source: string;
  target: string;
  stated: boolean;
  created_by: string | null;
  created: string | null;
  note: string | null;
}

/** What people said of an edge, and what may be done about it: remove what was made by hand, hide what is wrong. */
export function EdgeActs({ from, to, byHand }: { from: string; to: string; byHand: boolean }) {
  const words = useTranslations("pages.edits");
  const { session } = useSession();
  const moment = useMoment();
  const [wanted, setWanted] = useState<EdgeWanted | null>(null);
  const found = useAnswer<{ items: HandEdge[] }>(
    "/api/v2/edits/edges",
    { name: partsOf(to).column === null ? to : datasetOf(to), limit: 1000 },
    { when: byHand },
  );
  const made = found.data?.items.find((item) => item.stated && item.source === from && item.target === to);
  const mayEdit = mayDo(session, "editor") && !moment;
  return (
    <>
      {made && (
        <Facts
          of={[
            [words("edge.by"), made.created_by],
            [words("edge.at"), made.created && <Time at={made.created} />],
            [words("edge.note"), made.note],
          ]}
        />
      )}
      {made && <EdgeHistory id={made.id} />}
      {mayEdit && (
        <div className="row-wrap">
          {made && <Button onClick={() => setWanted("removeEdge")}>{words("act.removeEdge")}</Button>}
          <Button onClick={() => setWanted("hideEdge")}>{words("act.hideEdge")}</Button>
        </div>
      )}
      {wanted && <EdgeDialog from={from} to={to} wanted={wanted} onClose={() => setWanted(null)} />}
    </>
  );
}
