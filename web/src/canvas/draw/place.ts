/** Where a node is, as a card says it: what stands before its title first, then the location without what the kind of storage says already. */
export function placeOf({
  namespace,
  rest,
  storage,
}: {
  namespace: string;
  rest: string;
  storage: string | null;
}): string {
  const inner = rest === namespace ? "" : rest.startsWith(`${namespace}:`) ? rest.slice(namespace.length + 1) : rest;
  const host = namespace.replace(/^[a-z][\w+.-]*:\/\//i, "");
  return [inner, storage ? (host === storage ? "" : host) : namespace].filter(Boolean).join(" · ");
}
