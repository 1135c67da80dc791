import { Link, useNavigate } from "@tanstack/react-router";
import { useTranslations } from "use-intl";
import { Menu } from "@/parts";
import { useFrameView } from "@/view";
import { LANGUAGES, LOCALES } from "@/words/locales";
import { useLanguage } from "@/words/Words";
import { SearchBox } from "./SearchBox";
import { useSession, useSigning } from "./session";
import { TimeChooser } from "./TimeChooser";
import styles from "./TopBar.module.css";
import { chooseTheme, useTheme } from "./theme";

/** Search, tenant, time, theme, language. Tinted while the past is looked at. */
export function TopBar() {
  const words = useTranslations("frame");
  const [{ as_of: moment }] = useFrameView();
  const theme = useTheme();
  const { locale, choose } = useLanguage();
  return (
    <header className={`${styles.bar} ${moment ? styles.past : ""}`}>
      <Link to="/" className={styles.brand}>
        <svg width={18} height={18} viewBox="0 0 16 16" aria-hidden="true">
          <path d="M1 8c2-2.500 4-4.500 7-4.500a4.500 4.500 0 1 1 0 9C5 12.500 3 10.500 1 8z" fill="currentColor" />
        </svg>
        <span>{words("product")}</span>
      </Link>
      <SearchBox />
      <div className={styles.tools}>
        <TenantSwitch />
        <TimeChooser />
        <Menu
          label={words("theme.label")}
          button={{ icon: theme === "dark" ? "moon" : "sun" }}
          items={(["light", "dark", "system"] as const).map((name) => ({
            id: name,
            title: words(`theme.${name}`),
            chosen: theme === name,
            onChoose: () => chooseTheme(name),
          }))}
        />
        <Menu
          label={words("language")}
          items={LOCALES.map((name) => ({
            id: name,
            title: LANGUAGES[name],
            chosen: name === locale,
            onChoose: () => choose(name),
          }))}
        >
          {locale.toUpperCase()}
        </Menu>
        <Account />
      </div>
    </header>
  );
}

function TenantSwitch() {
  const words = useTranslations("frame");
  const { session } = useSession();
  const [view, setView] = useFrameView();
  if (!session || session.tenants.length === 0 || (session.tenants.length === 1 && session.tenant)) return null;
  const chosen = view.tenant ?? session.tenant?.code ?? null;
  const own = session.tenant
    ? []
    : [
        {
          id: "",
          title: words("tenantOwn"),
          chosen: chosen === null,
          onChoose: () => setView({ tenant: null }, { push: true }),
        },
      ];
  return (
    <Menu
      label={words("tenant")}
      button={{ icon: "tenant" }}
      items={[
        ...own,
        ...session.tenants.map(({ code, name }) => ({
          id: code,
          title: <bdi>{name}</bdi>,
          chosen: code === chosen,
          onChoose: () => setView({ tenant: code === session.tenant?.code ? null : code }, { push: true }),
        })),
      ]}
    >
      <bdi className={styles.value}>
        {session.tenants.find(({ code }) => code === chosen)?.name ?? words("tenantOwn")}
      </bdi>
    </Menu>
  );
}

function Account() {
  const words = useTranslations("frame");
  const { session } = useSession();
  const { signOut } = useSigning();
  const navigate = useNavigate();
  if (!session || session.mode === "single_user" || session.mode === "anonymous") return null;
  return (
    <Menu
      label={words("user", { name: session.user ?? session.mode })}
      button={{ icon: "user" }}
      items={[
        {
          id: "out",
          title: words("signOut"),
          disabled: session.mode !== "key",
          onChoose: () => void signOut().then(() => navigate({ to: "/sign-in" })),
        },
      ]}
    />
  );
}
