import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { IntlProvider } from "use-intl";
import type { Messages } from "./en";
import { type Locale, rememberedLocale, rememberLocale } from "./locales";

declare module "use-intl" {
  interface AppConfig {
    Locale: Locale;
    Messages: Messages;
  }
}

const LOADERS: Record<Locale, () => Promise<{ default: Messages }>> = {
  en: () => import("./en"),
  zh: () => import("./zh"),
  ru: () => import("./ru"),
  de: () => import("./de"),
};

export async function loadWords(locale: Locale): Promise<Messages> {
  return (await LOADERS[locale]()).default;
}

const Choosing = createContext<{ locale: Locale; choose: (locale: Locale) => void }>({
  locale: "en",
  choose: () => {},
});

/** The language, and how to choose another one. */
export function useLanguage(): { locale: Locale; choose: (locale: Locale) => void } {
  return useContext(Choosing);
}

/** Gives its children the words of the chosen language; draws nothing until they are there. */
export function Words({ children }: { children: ReactNode }) {
  const [wanted, setWanted] = useState<Locale>(rememberedLocale);
  const [words, setWords] = useState<{ locale: Locale; messages: Messages } | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void loadWords(wanted).then((messages) => {
      if (!isCurrent) return;
      document.documentElement.lang = wanted;
      setWords({ locale: wanted, messages });
    });
    return () => {
      isCurrent = false;
    };
  }, [wanted]);
  const choose = useCallback((locale: Locale) => {
    rememberLocale(locale);
    setWanted(locale);
  }, []);
  const choosing = useMemo(() => ({ locale: wanted, choose }), [wanted, choose]);
  if (words === null) return null;
  return (
    <IntlProvider
      locale={words.locale}
      messages={words.messages}
      timeZone={Intl.DateTimeFormat().resolvedOptions().timeZone}
    >
      <Choosing value={choosing}>{children}</Choosing>
    </IntlProvider>
  );
}
