import { useTranslations } from "use-intl";
import { useAnswer } from "@/api";
import { mayDo, useSession } from "@/frame/session";
import { Button, cutMiddle, Time, useToast } from "@/parts";
import { useMoment } from "@/view";
import type { EditItem, PageOf } from "../shared/records";
import shared from "../shared/shared.module.css";
import { editCode } from "./editCode";
import { useEdit } from "./useEdit";

const SHOWN = 5;

/** The newest changes of one edge, each with who made it and why; the newest of them can be taken back. */
export function EdgeHistory({ id }: { id: string }) {
  const words = useTranslations("pages.edits");
  const toast = useToast();
  const moment = useMoment();
  const { session } = useSession();
  const found = useAnswer<PageOf<EditItem>>("/api/v2/edits", { name: id, limit: SHOWN });
  const edit = useEdit(() => {});
  const mayEdit = mayDo(session, "editor") && !moment;
  const items = found.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <ul className={shared.lines} aria-label={words("edge.history")}>
      {items.map((item, at) => (
        <li key={item.id}>
          {words(`edge.did.${editCode(item) as "edgeStated"}`)} <Time at={item.time} look="relative" />{" "}
          <bdi className="mute">{cutMiddle([item.by ?? item.actor, item.reason].filter(Boolean).join(": "), 160)}</bdi>
          {mayEdit && at === 0 && (
            <Button
              look="bare"
              disabled={edit.isPending}
              onClick={() =>
                edit.mutate([{ route: "edits/undo", body: { id: item.id } }], {
                  onError: (error) => toast(error.message),
                })
              }
            >
              {words("undo")}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
