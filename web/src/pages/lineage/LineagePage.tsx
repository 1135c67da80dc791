import { useTranslations } from "use-intl";
import { LineageCanvas } from "@/canvas";
import { Page } from "@/frame/Page";
import { Empty } from "@/parts";
import { optional, useView } from "@/view";
import { partsOf } from "../shared/names";
import { Thing } from "../shared/Thing";
import styles from "./LineagePage.module.css";

const FIELDS = { id: optional() };

/** The lineage of something, with all the room that there is. */
export default function LineagePage() {
  const words = useTranslations("canvas.page");
  const [{ id }] = useView(FIELDS);
  if (!id)
    return (
      <Page title={words("title")}>
        <Empty title={words("none")}>{words("noneText")}</Empty>
      </Page>
    );
  return (
    <Page
      title={partsOf(id).title}
      fill
      head={
        <header className={styles.head}>
          <h1 className="row">
            <span className="mute">{words("title")}</span>
            <Thing id={id} />
          </h1>
        </header>
      }
    >
      <LineageCanvas id={id} />
    </Page>
  );
}
