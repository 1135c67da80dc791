import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { type components, useAnswer } from "@/api";
import { cutMiddle, FailureNote, Icon, Skeleton } from "@/parts";
import styles from "./assets.module.css";
import { type Branch, type Kind, topOf } from "./assets";

type Tree = components["schemas"]["AssetTree"];

const LEAVES = new Set(["Column", "Tag", "Unit", "WordRoot", "Modifier", "ValueDomain", "SQL"]);

/** What the tenant has, branch by branch: a branch is asked for when it is unfolded. */
export function AssetTree({ chosen }: { chosen: string }) {
  const words = useTranslations("pages.assets");
  const found = useAnswer<Tree>("/api/v2/assets/tree", { depth: 1 });
  if (found.error) return <FailureNote error={found.error} onRetry={() => void found.refetch()} />;
  if (!found.data) return <Skeleton lines={10} height={24} />;
  const { places, groups } = topOf(found.data.root.children);
  if (places.length + groups.length === 0) return <p className="mute">{words("nothing")}</p>;
  return (
    <ul className={styles.tree} aria-label={words("tree")}>
      {places.map((one) => (
        <Node key={one.id} branch={one} chosen={chosen} />
      ))}
      {groups.map(({ kind, children }) => (
        <GroupNode key={kind} kind={kind} items={children} chosen={chosen} />
      ))}
      {found.data.truncated && <li className="mute">{words("more")}</li>}
    </ul>
  );
}

function GroupNode({ kind, items, chosen }: { kind: Kind; items: readonly Branch[]; chosen: string }) {
  const words = useTranslations("pages.assets");
  const [open, setOpen] = useState(false);
  return (
    <li>
      <div className={styles.node}>
        <Fold open={open} name={words(`all.${kind as "Tag"}`)} onFold={() => setOpen(!open)} />
        <span>
          {words(`all.${kind as "Tag"}`)} <span className="mute">{items.length}</span>
        </span>
      </div>
      {open && (
        <ul>
          {items.map((one) => (
            <Node key={one.id} branch={one} chosen={chosen} />
          ))}
        </ul>
      )}
    </li>
  );
}

function Node({ branch, chosen }: { branch: Branch; chosen: string }) {
  const [open, setOpen] = useState(false);
  const isLeaf = LEAVES.has(branch.kind) || branch.kind.endsWith("Metric");
  return (
    <li>
      <div className={styles.node}>
        {isLeaf ? (
          <span className={styles.noFold} />
        ) : (
          <Fold open={open} name={branch.name} onFold={() => setOpen(!open)} />
        )}
        <AssetName of={branch} chosen={chosen} />
      </div>
      {open && <Children of={branch} chosen={chosen} />}
    </li>
  );
}

function Children({ of, chosen }: { of: Branch; chosen: string }) {
  const words = useTranslations("pages.assets");
  const found = useAnswer<Tree>("/api/v2/assets/tree", { name: of.id, depth: 1 });
  if (found.error) return <FailureNote error={found.error} onRetry={() => void found.refetch()} />;
  if (!found.data) return <Skeleton lines={2} height={20} />;
  const { children } = found.data.root;
  return (
    <ul>
      {children.map((one) => (
        <Node key={one.id} branch={one} chosen={chosen} />
      ))}
      {children.length === 0 && <li className="mute">{words("nothingInside")}</li>}
      {found.data.truncated && <li className="mute">{words("more")}</li>}
    </ul>
  );
}

function Fold({ open, name, onFold }: { open: boolean; name: string; onFold: () => void }) {
  const words = useTranslations("pages.assets");
  return (
    <button
      type="button"
      className={styles.fold}
      aria-expanded={open}
      aria-label={words(open ? "fold" : "unfold", { name: cutMiddle(name, 80) })}
      onClick={onFold}
    >
      <Icon name={open ? "down" : "right"} size={12} />
    </button>
  );
}

/** The name of an asset with its kind; it leads to the asset. */
export function AssetName({ of, chosen = "" }: { of: { id: string; kind: string; name: string }; chosen?: string }) {
  const words = useTranslations("pages.assets");
  return (
    <Link
      to="/catalog"
      search={((before: object) => ({ ...before, id: of.id })) as never}
      className={styles.name}
      aria-current={of.id === chosen ? "true" : undefined}
      title={cutMiddle(of.id, 400)}
    >
      <span className={styles.kind}>{words(`kind.${of.kind as Kind}`)}</span>
      <bdi>{cutMiddle(of.name, 60)}</bdi>
    </Link>
  );
}
