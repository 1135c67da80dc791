import { Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";

type Way = "impact" | "changes" | "paths" | "diff";

/** What the address of each page calls the thing that it is about. */
const ASKED: Record<Way, string> = { impact: "name", changes: "name", paths: "from", diff: "id" };

/** Ways from a thing's page to what the other pages say of it. */
export function Elsewhere({ name, to }: { name: string; to: readonly Way[] }) {
  const rail = useTranslations("frame.rail");
  const questions = useTranslations("questions");
  return (
    <>
      {to.map((page) => (
        <Link key={page} to={`/${page}` as "/"} search={{ [ASKED[page]]: name } as never}>
          {page === "paths" || page === "diff" ? questions(`${page}.title`) : rail(page)}
        </Link>
      ))}
    </>
  );
}
