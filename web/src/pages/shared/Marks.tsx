import { Link } from "@tanstack/react-router";
import { Badge, cutMiddle } from "@/parts";
import { PAGES } from "../routes";

const hasPii = () => PAGES.some(({ path }) => path === "/pii");

/** Tags as badges; each leads to everything that carries it. */
export function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <>
      {tags.map((tag) => (
        <Link key={tag} to={hasPii() ? "/pii" : "/datasets"} search={{ tag } as never}>
          <Badge tone="accent" title={cutMiddle(tag, 200)}>
            {`# ${cutMiddle(tag, 40)}`}
          </Badge>
        </Link>
      ))}
    </>
  );
}

/** Owners, each with the page of what is theirs. */
export function Owners({ owners }: { owners: readonly string[] }) {
  return (
    <>
      {owners.map((owner) => (
        <Link key={owner} to="/user" search={{ id: `user:${owner}` } as never}>
          <bdi>{cutMiddle(owner, 40)}</bdi>
        </Link>
      ))}
    </>
  );
}
