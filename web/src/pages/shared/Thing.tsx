import { linkTo } from "@/frame/links";
import { Name } from "@/parts";
import { partsOf } from "./names";

/** The name of anything that has an id, as a link to its page. */
export function Thing({
  id,
  rest = true,
  title,
  most,
  search,
}: {
  id: string;
  rest?: boolean;
  /** Instead of its own title, where that of another thing is the same. */
  title?: string | undefined;
  most?: number;
  /** More of the address: a tab, a moment. */
  search?: Record<string, string>;
}) {
  const parts = partsOf(id);
  const to = linkTo({ kind: parts.kind === "sql" ? "statement" : parts.kind, id });
  return (
    <Name
      title={title ?? (parts.kind === "run" ? parts.title.slice(0, 8) : parts.title)}
      rest={rest ? parts.rest : null}
      whole={id}
      to={to.to}
      search={{ ...to.search, ...search }}
      mono={["column", "run", "sql"].includes(parts.kind)}
      {...(most ? { most } : {})}
    />
  );
}

/** Several of them, one in each line. */
export function Things({ ids, none }: { ids: readonly string[]; none?: string }) {
  if (ids.length === 0) return <span className="mute">{none}</span>;
  return (
    <ul className="stack">
      {ids.map((id) => (
        <li key={id}>
          <Thing id={id} />
        </li>
      ))}
    </ul>
  );
}
