export const LOCALES = ["en", "zh", "ru", "de"] as const;
export type Locale = (typeof LOCALES)[number];

/** Each language by its own name. */
export const LANGUAGES: Record<Locale, string> = { en: "English", zh: "中文", ru: "Русский", de: "Deutsch" };

const KEY = "headwater.language";

export function isLocale(word: string | null | undefined): word is Locale {
  return LOCALES.some((locale) => locale === word);
}

/** What was chosen, else the first language of the browser that there is, else English. */
export function preferredLocale(chosen: string | null, wanted: readonly string[]): Locale {
  if (isLocale(chosen)) return chosen;
  return wanted.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLocale) ?? "en";
}

export function rememberedLocale(): Locale {
  let chosen: string | null = null;
  try {
    chosen = localStorage.getItem(KEY);
  } catch {
    // storage is switched off
  }
  return preferredLocale(chosen, navigator.languages ?? [navigator.language]);
}

export function rememberLocale(locale: Locale): void {
  try {
    localStorage.setItem(KEY, locale);
  } catch {
    // storage is switched off: it holds until the page is closed
  }
}
