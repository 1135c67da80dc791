import { useSyncExternalStore } from "react";

export type Theme = "light" | "dark" | "system";

const KEY = "headwater.theme";
const changed = new Set<() => void>();

export function chosenTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system";
  }
}

function apply(): void {
  const chosen = chosenTheme();
  const isDark = chosen === "dark" || (chosen === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
  for (const call of changed) call();
}

export function chooseTheme(theme: Theme): void {
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // storage is switched off: the system decides
  }
  apply();
}

function subscribe(call: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  changed.add(call);
  system.addEventListener("change", apply);
  return () => {
    changed.delete(call);
    system.removeEventListener("change", apply);
  };
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, chosenTheme);
}
