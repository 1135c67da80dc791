import type { PageRoute } from "@/frame/router";

/** Every page but home, signing in and the first run: its path, and the chunk that draws it (its default export). */
export const PAGES: readonly PageRoute[] = [];
