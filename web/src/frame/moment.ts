/** A moment as a field for date and time has it: local, to the minute. */
export function toLocal(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return Number.isNaN(local.getTime()) ? "" : local.toISOString().slice(0, 16);
}

/** In UTC, as the server has it; null for what is no moment. */
export function fromLocal(typed: string): string | null {
  const at = typed ? new Date(typed) : null;
  return at && !Number.isNaN(at.getTime()) ? at.toISOString().replace(".000Z", "Z") : null;
}
