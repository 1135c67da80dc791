import { Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslations } from "use-intl";
import styles from "./Frame.module.css";
import { useFrameView } from "@/view";
import { Rail } from "./Rail";
import { useSession } from "./session";
import { TopBar } from "./TopBar";

/** What is around every page. */
export function Frame({ paths }: { paths: ReadonlySet<string> }) {
  const words = useTranslations("frame");
  useSignedIn();
  useTenantChosen();
  return (
    <div className={styles.frame}>
      <button type="button" className={styles.skip} onClick={() => document.getElementById("content")?.focus()}>
        {words("skip")}
      </button>
      <TopBar />
      <Rail paths={paths} />
      <div className={styles.content}>
        <Outlet />
      </div>
    </div>
  );
}

/** Whoever must sign in and has not, or no longer, is led to the page for it, and from there back here. */
function useSignedIn(): void {
  const { session } = useSession();
  const { href, pathname } = useLocation();
  const navigate = useNavigate();
  const isAnonymous = session?.mode === "anonymous" && pathname !== "/sign-in";
  useEffect(() => {
    if (isAnonymous) void navigate({ to: "/sign-in", search: { back: href } as never, replace: true });
  }, [isAnonymous, href, navigate]);
}

/** Questions are about one tenant: whose key is for all of them looks at the first, until another one is chosen. */
function useTenantChosen(): void {
  const { session } = useSession();
  const { pathname } = useLocation();
  const [{ tenant }, setView] = useFrameView();
  const isOfAll = pathname === "/operations" || pathname === "/sign-in";
  const first = session?.tenant === null && tenant === null && !isOfAll ? session.tenants[0]?.code : undefined;
  useEffect(() => {
    if (first) setView({ tenant: first });
  }, [first, setView]);
}
