import { useTranslations } from "use-intl";
import { Button, FailureNote, Skeleton } from "@/parts";
import { usePages } from "../shared/usePages";
import { AssetName } from "./AssetTree";
import styles from "./assets.module.css";
import type { AssetRef } from "./assets";

/** Assets of a kind, or with a text in their name or id. */
export function AssetList({ text, kind, chosen }: { text: string; kind: string; chosen: string }) {
  const words = useTranslations("pages.assets");
  const found = usePages<AssetRef>("/api/v2/assets", { q: text || null, kind: kind || null });
  if (found.error && !found.known) return <FailureNote error={found.error} onRetry={found.again} />;
  if (!found.known) return <Skeleton lines={10} height={24} />;
  return (
    <ul className={styles.tree} aria-label={words("found")}>
      {found.rows.map((one) => (
        <li key={one.id} className={styles.node}>
          <AssetName of={one} chosen={chosen} />
        </li>
      ))}
      {found.rows.length === 0 && <li className="mute">{words("noneFound")}</li>}
      {found.isMore && (
        <li>
          <Button disabled={found.isLoadingMore} onClick={found.more}>
            {words("showMore")}
          </Button>
        </li>
      )}
    </ul>
  );
}
