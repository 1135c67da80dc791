import { useTranslations } from "use-intl";
import { subtypeWord } from "@/canvas/panel/marks";

/** "values · aggregated": how a column gets into another one. */
export function How({ isDirect, subtype }: { isDirect: boolean; subtype: string }) {
  const words = useTranslations("canvas.panel");
  return (
    <span className="mute">
      {words(`how.${isDirect ? "direct" : "indirect"}`)}
      {" · "}
      {words(`subtype.${subtypeWord(subtype)}`)}
    </span>
  );
}
