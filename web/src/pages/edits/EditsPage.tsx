import { useTranslations } from "use-intl";
import { Page } from "@/frame/Page";
import { ListHead } from "../lists/ListHead";
import lists from "../lists/ListPage.module.css";
import { EditHistory } from "./EditHistory";

/** Everything that was changed by hand. */
export default function EditsPage() {
  const words = useTranslations("pages.edits");
  return (
    <Page title={words("title")} head={<ListHead of="edits" total={null} />} fill>
      <div className={lists.whole}>
        <EditHistory fill />
      </div>
    </Page>
  );
}
