import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Button, Icon } from "@/parts";
import type { Picture } from "../records";
import { noticeOf } from "./noticeOf";
import type { ChangeView, View } from "./Toolbar";
import styles from "./tools.module.css";

/** What is said over the picture: the sentence of the column under the pointer, or what is left out and what to do. */
export function Notice({
  picture,
  view,
  setView,
  hovers,
  children,
}: {
  picture: Picture;
  view: View;
  setView: ChangeView;
  hovers: boolean;
  children: ReactNode;
}) {
  const words = useTranslations("canvas.notice");
  const notice = noticeOf(picture, view);
  if (hovers)
    return (
      <div className={styles.notice} role="status">
        {children}
      </div>
    );
  if (!notice) return null;
  return (
    <div className={styles.notice} role="status">
      <Icon name="warning" />
      <span>{words(notice.code, { count: notice.count })}</span>
      {notice.offers.map((offer) => (
        <Button
          key={offer}
          onClick={() =>
            setView(
              offer === "ends"
                ? { ends: true }
                : offer === "now"
                  ? { from_time: null, to_time: null, hide: [], ends: false, way: "both", steps: 1 }
                  : { group: offer, ungrouped: [] },
              { push: true },
            )
          }
        >
          {words(`offer.${offer}`)}
        </Button>
      ))}
    </div>
  );
}
