/** An address that a link may lead to: http or https; anything else that events name (a script, a file) is none. */
export function safeAddress(text: string | null | undefined): string | null {
  if (!text) return null;
  try {
    const { protocol, href } = new URL(text);
    return protocol === "http:" || protocol === "https:" ? href : null;
  } catch {
    return null;
  }
}
