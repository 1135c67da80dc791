import { useTranslations } from "use-intl";
import { cutMiddle } from "@/parts";
import { mono, strong } from "../panel/marks";
import type { Picture } from "../records";
import type { Picked } from "../scene/pick";
import { hoverSentence } from "./hover";
import styles from "./tools.module.css";

/** How the value of the column under the pointer gets there, in one line. */
export function HoverSentence({ picture, hovered }: { picture: Picture; hovered: Picked | null }) {
  const words = useTranslations("canvas.explain.one");
  const column = useTranslations("canvas.column");
  if (hovered?.kind !== "column") return null;
  const says = hoverSentence(picture, hovered.key, hovered.column);
  if (!says)
    return (
      <span className={styles.says}>{column.rich("ownHere", { column: cutMiddle(hovered.column, 60), c: mono })}</span>
    );
  const { code, from, to, sources, others } = says;
  return (
    <span className={styles.says}>
      {words.rich(code, {
        column: cutMiddle(hovered.column, 60),
        from: cutMiddle(from, 60),
        to: cutMiddle(to, 60),
        sources: cutMiddle(sources, 80),
        n: strong,
        c: mono,
      })}
      {others > 0 && ` ${column("more", { count: others })}`}
    </span>
  );
}
