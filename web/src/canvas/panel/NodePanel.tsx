import { Link } from "@tanstack/react-router";
import { useLocale, useTranslations } from "use-intl";
import { linkTo } from "@/frame/links";
import { Facts } from "@/pages/shared/Facts";
import { Owners, Tags } from "@/pages/shared/Marks";
import { Thing } from "@/pages/shared/Thing";
import { Badge, Button, copyText, cutMiddle, StateDot, Time, useToast } from "@/parts";
import { useActs } from "../draw/acts";
import { marksOf, useMarkWord } from "../draw/marks";
import type { Picture, PictureNode } from "../records";
import { strong } from "./marks";
import { aboutNode } from "./about";
import styles from "./Panel.module.css";

/** A dataset, job or run in words: what it is, who writes and reads it, since when; and what can be done from here. */
export function NodePanel({ node, picture }: { node: PictureNode; picture: Picture }) {
  const words = useTranslations("canvas.node");
  const kinds = useTranslations("canvas.card");
  const parts = useTranslations("parts");
  const locale = useLocale();
  const toast = useToast();
  const acts = useActs();
  const wordOf = useMarkWord();
  const about = aboutNode(picture, node.key);
  const list = new Intl.ListFormat(locale);
  const named = about.writers.slice(0, 2).map((job) => cutMiddle(job.title, 60));
  const others = about.writersTotal - named.length;
  const state = node.kind === "dataset" ? node.last_write?.status : node.state;
  const isData = !["job", "run", "operation"].includes(node.kind);
  return (
    <div className={styles.panel}>
      <p className="mute">{kinds(`kind.${node.kind}`)}</p>
      <h2 className={styles.title}>
        <bdi>{cutMiddle(node.title, 80) || parts("unnamed")}</bdi>
      </h2>
      <p className={`${styles.whole} mute`}>
        <bdi>{cutMiddle(`${node.namespace} ${node.name}`, 200)}</bdi>
        <Button
          look="bare"
          icon="copy"
          label={parts("copy")}
          onClick={() => void copyText(node.id).then((done) => toast(parts(done ? "copied" : "notCopied")))}
        />
      </p>
      {isData && (
        <p className={styles.sentence}>
          {words.rich(about.writersTotal > 0 ? "written" : node.reference_only ? "onlyNamed" : "source", {
            title: cutMiddle(node.title, 60),
            jobs: list.format(others > 0 ? [...named, words("others", { count: others })] : named),
            n: strong,
          })}{" "}
          {words("fedBy", { count: about.sources + node.more.upstream })}{" "}
          {words("feeds", { count: about.targets + node.more.downstream })}
        </p>
      )}
      <div className="row-wrap">
        {marksOf(node).map((mark) => (
          <Badge key={mark.code} tone={mark.tone}>
            {wordOf(mark)}
          </Badge>
        ))}
        {node.exists === false && <Badge tone="failed">{words("dropped")}</Badge>}
        {node.change && <Badge tone="stale">{words(`change.${node.change}`)}</Badge>}
        <Tags tags={node.tags} />
      </div>
      <Facts
        of={[
          [words("state"), state && <StateDot key="state" state={state} text />],
          [words("lastWrite"), node.last_write?.at && <Time key="at" at={node.last_write.at} />],
          [words("run"), node.last_write && <Thing key="run" id={node.last_write.run} rest={false} />],
          [
            words("rows"),
            node.last_write?.rows !== null &&
              node.last_write?.rows !== undefined &&
              new Intl.NumberFormat(locale).format(node.last_write.rows),
          ],
          [words("columns"), node.columns_total > 0 && String(node.columns_total)],
          [words("owners"), node.owners.length > 0 && <Owners key="owners" owners={node.owners} />],
          [words("since"), about.since && <Time key="since" at={about.since} />],
          [words("retracted"), node.retracted_at && <Time key="retracted" at={node.retracted_at} />],
          ...(node.facts ?? []),
        ]}
      />
      <div className={styles.actions}>
        <Link className={styles.action} {...(linkTo(node) as { to: "/" })}>
          {words("open")}
        </Link>
        <Link className={styles.action} to={"/lineage" as "/"} search={{ id: node.id } as never}>
          {words("startHere")}
        </Link>
        {isData && (
          <Link className={styles.action} to={"/impact" as "/"} search={{ name: node.id } as never}>
            {words("impact")}
          </Link>
        )}
        <Link className={styles.action} to={"/paths" as "/"} search={pathsSearch(picture, node) as never}>
          {words("paths")}
        </Link>
        {node.more.upstream > 0 && (
          <Button onClick={() => acts.expand(node.key, "upstream")}>
            {words("moreUp", { count: node.more.upstream })}
          </Button>
        )}
        {node.more.downstream > 0 && (
          <Button onClick={() => acts.expand(node.key, "downstream")}>
            {words("moreDown", { count: node.more.downstream })}
          </Button>
        )}
      </div>
    </div>
  );
}

/** From the start of the picture to the node, or the other way where the node lies before it. */
function pathsSearch(picture: Picture, node: PictureNode): Record<string, string> {
  const start = picture.nodes.find(({ key }) => key === picture.start);
  if (!start || start.key === node.key) return { from: node.id };
  return node.step < 0 ? { from: node.id, to: start.id } : { from: start.id, to: node.id };
}
