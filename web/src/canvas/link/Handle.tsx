import { useTranslations } from "use-intl";
import { cutMiddle } from "@/parts";
import { useLink } from "./LinkContext";
import styles from "./link.module.css";
import type { End } from "./rules";

/** Where an edge by hand is drawn from; a click without drawing searches for the other end. */
export function Handle({ of, small = false }: { of: End; small?: boolean }) {
  const words = useTranslations("canvas.link");
  const { offers, begin, search } = useLink();
  if (!offers(of.kind)) return null;
  const title = words("handle", { title: cutMiddle(of.title, 60) });
  return (
    <button
      type="button"
      tabIndex={-1}
      className={`${styles.handle} ${small ? styles.small : ""} nopan nodrag`}
      aria-label={title}
      title={title}
      onPointerDown={(event) => begin(of, event)}
      onClick={(event) => {
        event.stopPropagation();
        if (event.detail === 0) search(of); // by keyboard or a screen reader: there was no pointer
      }}
    />
  );
}
