import { useState } from "react";
import { useTranslations } from "use-intl";
import { Page } from "@/frame/Page";
import { mayDo, useSession } from "@/frame/session";
import { Button } from "@/parts";
import { useMoment } from "@/view";
import { ListHead } from "../lists/ListHead";
import lists from "../lists/ListPage.module.css";
import { CreateDialog } from "./CreateDialog";
import { EditHistory } from "./EditHistory";

/** Everything that was changed by hand, and a way to make what no event names. */
export default function EditsPage() {
  const words = useTranslations("pages.edits");
  const { session } = useSession();
  const moment = useMoment();
  const [isMaking, setMaking] = useState(false);
  return (
    <Page title={words("title")} head={<ListHead of="edits" total={null} />} fill>
      <div className={lists.whole}>
        {mayDo(session, "editor") && !moment && (
          <div className="row">
            <Button icon="plus" onClick={() => setMaking(true)}>
              {words("create.title")}
            </Button>
          </div>
        )}
        <EditHistory fill />
      </div>
      {isMaking && <CreateDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}
