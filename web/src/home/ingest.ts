interface Hour {
  at: string;
  events: number | null;
  refused: number | null;
}

/** Events and refused ones of some hours, and the hour of the newest event. */
export function ingestOf(hours: readonly Hour[]): { events: number; refused: number; newest: string | null } {
  const sum = (name: "events" | "refused") => hours.reduce((all, hour) => all + (hour[name] ?? 0), 0);
  const newest = hours.filter(({ events }) => (events ?? 0) > 0).at(-1)?.at ?? null;
  return { events: sum("events"), refused: sum("refused"), newest };
}
