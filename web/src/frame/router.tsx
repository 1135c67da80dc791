import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
  retainSearchParams,
} from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslations } from "use-intl";
import { PAGES } from "@/pages/routes";
import { Button, Note } from "@/parts";
import { parseSearch, printSearch, type Search } from "@/view";
import { Frame } from "./Frame";
import { Page } from "./Page";
import { reportError } from "./reports";

/** A page: its path without values in it (ids are in the query), and how its chunk is loaded. */
export interface PageRoute {
  path: `/${string}`;
  load: () => Promise<{ default: RouteComponent }>;
}

const OWN: readonly PageRoute[] = [
  { path: "/", load: () => import("@/first/Start") },
  { path: "/operations", load: () => import("@/operations/Operations") },
  { path: "/sign-in", load: () => import("@/session/SignIn") },
];

export function makeRouter() {
  const routes = [...OWN, ...PAGES];
  const paths = new Set<string>(routes.map(({ path }) => path));
  const root = createRootRoute({
    component: () => <Frame paths={paths} />,
    notFoundComponent: Missing,
    errorComponent: Broken,
    validateSearch: (search): Search => search as Search,
    search: { middlewares: [retainSearchParams<Search>(["as_of", "tenant"])] },
  });
  const children = routes.map(({ path, load }) =>
    createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load) }),
  );
  return createRouter({
    routeTree: root.addChildren(children),
    parseSearch,
    stringifySearch: printSearch,
    defaultPreload: "intent",
    defaultErrorComponent: Broken,
    scrollRestoration: false,
  });
}

function Missing() {
  const words = useTranslations("frame.missing");
  return (
    <Page title={words("title")}>
      <Note icon="search" title={words("title")}>
        {words("text")}
      </Note>
    </Page>
  );
}

function Broken({ error }: { error: unknown }) {
  const words = useTranslations("frame.broken");
  useEffect(() => reportError("drawn", error), [error]);
  return (
    <Page title={words("title")}>
      <Note
        icon="warning"
        tone="failed"
        title={words("title")}
        actions={<Button onClick={() => location.reload()}>{words("reload")}</Button>}
      >
        <p>{words("text")}</p>
        <code>{error instanceof Error ? error.message.slice(0, 500) : ""}</code>
      </Note>
    </Page>
  );
}
