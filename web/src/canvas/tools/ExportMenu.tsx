import { useTranslations } from "use-intl";
import { copyText, Menu, saveFile, useToast } from "@/parts";
import { inksNow, pngOf } from "../export/png";
import { svgOf } from "../export/svg";
import { csvOf, mermaidOf } from "../export/texts";
import type { LaidOut } from "../layout/useLayout";
import type { Picture } from "../records";

/** Keeps the picture as a file, or as text for a document. */
export function ExportMenu({ picture, laidOut }: { picture: Picture; laidOut: LaidOut }) {
  const words = useTranslations("canvas.tools");
  const parts = useTranslations("parts");
  const toast = useToast();
  const start = picture.nodes.find(({ key }) => key === picture.start);
  const name = `lineage-${(start?.title ?? "picture").replace(/[^\p{L}\p{N}_.-]+/gu, "_").slice(0, 60)}`;
  const drawn = () => svgOf(laidOut, picture.columns, inksNow());
  const png = async () => {
    try {
      saveFile(`${name}.png`, await pngOf(drawn()), "image/png");
    } catch {
      toast(words("pngFailed"));
    }
  };
  const copied = (done: boolean) => toast(parts(done ? "copied" : "notCopied"));
  return (
    <Menu
      label={words("export")}
      button={{ icon: "download", look: "bare" }}
      items={[
        { id: "png", title: "PNG", onChoose: () => void png() },
        { id: "svg", title: "SVG", onChoose: () => saveFile(`${name}.svg`, drawn().text, "image/svg+xml") },
        {
          id: "csv",
          title: "CSV",
          onChoose: () => saveFile(`${name}.csv`, `\uFEFF${csvOf(picture)}`, "text/csv;charset=utf-8"),
        },
        { id: "mermaid", title: "Mermaid", onChoose: () => saveFile(`${name}.mmd`, mermaidOf(picture), "text/plain") },
        {
          id: "copy",
          title: words("mermaidCopy"),
          onChoose: () => void copyText(mermaidOf(picture)).then(copied),
        },
      ]}
    />
  );
}
