import { Link } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import { PAGES } from "../routes";

/** Ways from a thing's page to what the other pages say of it. */
export function Elsewhere({ name, to }: { name: string; to: readonly ("impact" | "changes")[] }) {
  const words = useTranslations("frame.rail");
  return (
    <>
      {to
        .filter((page) => PAGES.some(({ path }) => path === `/${page}`))
        .map((page) => (
          <Link key={page} to={`/${page}`} search={{ name } as never}>
            {words(page)}
          </Link>
        ))}
    </>
  );
}
