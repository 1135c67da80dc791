import { useTranslations } from "use-intl";
import { currentTenant } from "@/api";
import { Page } from "@/frame/Page";
import { mayDo, useSession } from "@/frame/session";
import { Empty } from "@/parts";
import { oneOf, text, useView } from "@/view";
import { Choice, Typed } from "../shared/Field";
import shared from "../shared/shared.module.css";
import { AssetList } from "./AssetList";
import { AssetPanel } from "./AssetPanel";
import { AssetTree } from "./AssetTree";
import styles from "./assets.module.css";
import { KINDS } from "./assets";
import { SyncState } from "./SyncState";

const VIEW = { id: text(), q: text(), kind: oneOf(["", ...KINDS]) };

/** What there is, as a tree or a list, and beside it the chosen asset. */
export default function AssetsPage() {
  const words = useTranslations("pages.assets");
  const { session } = useSession();
  const [{ id, q, kind }, setView] = useView(VIEW);
  const tenant = session?.tenant?.code ?? currentTenant() ?? (session?.mode === "single_user" ? "default" : null);
  return (
    <Page title={words("title")} fill>
      {tenant && mayDo(session, "admin") && <SyncState key={tenant} tenant={tenant} />}
      <div className={styles.whole}>
        <div className={styles.side}>
          <div className={shared.tools}>
            <Typed label={words("search")} value={q} onType={(next) => setView({ q: next })} />
            <Choice
              label={words("kinds")}
              value={kind}
              options={[["", words("anyKind")], ...KINDS.map((one) => [one, words(`kind.${one}`)] as const)]}
              onChoose={(next) => setView({ kind: next })}
            />
          </div>
          <div className={styles.scroll}>
            {q || kind ? <AssetList text={q} kind={kind} chosen={id} /> : <AssetTree chosen={id} />}
          </div>
        </div>
        <div className={styles.scroll}>
          {id ? <AssetPanel id={id} /> : <Empty title={words("choose")}>{words("chooseText")}</Empty>}
        </div>
      </div>
    </Page>
  );
}
