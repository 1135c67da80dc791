import { Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import { Icon, type IconName } from "@/parts";
import styles from "./Rail.module.css";

const ENTRIES = [
  { to: "/", icon: "home", word: "home" },
  { to: "/search", icon: "search", word: "search" },
  { to: "/datasets", icon: "dataset", word: "datasets" },
  { to: "/catalog", icon: "group", word: "assets" },
  { to: "/jobs", icon: "job", word: "jobs" },
  { to: "/runs", icon: "run", word: "runs" },
  { to: "/changes", icon: "change", word: "changes" },
  { to: "/impact", icon: "impact", word: "impact" },
  { to: "/pii", icon: "shield", word: "pii" },
  { to: "/operations", icon: "operations", word: "operations" },
] as const satisfies readonly { to: string; icon: IconName; word: string }[];

/** The ways to the main pages; those that are not there are not offered. */
export function Rail({ paths }: { paths: ReadonlySet<string> }) {
  const words = useTranslations("frame");
  return (
    <nav className={styles.rail} aria-label={words("navigation")}>
      {ENTRIES.filter(({ to }) => paths.has(to)).map(({ to, icon, word }) => (
        <Link key={to} to={to} className={styles.entry} activeOptions={{ exact: to === "/", includeSearch: false }}>
          <Icon name={icon} size={18} />
          <span className={styles.label}>{words(`rail.${word}`)}</span>
        </Link>
      ))}
    </nav>
  );
}
