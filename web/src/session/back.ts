/** The place to return to after signing in: only a path of this page, never another site. */
export function pathWithin(back: string | null): string {
  if (!back?.startsWith("/") || back.startsWith("//") || back.includes("\\") || back.startsWith("/sign-in")) return "/";
  return back;
}
