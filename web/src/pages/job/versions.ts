import type { JobEntity } from "../shared/records";

type Version = JobEntity["versions"][number];

export interface VersionLine {
  change: "added" | "removed";
  role: "reads" | "writes";
  dataset: string;
}

/** What a version of a job reads and writes that the one before did not, and the other way round. */
export function versionLines(version: Version, before: Version | undefined): VersionLine[] {
  if (!before) return [];
  const lines = (role: VersionLine["role"], now: readonly string[], then: readonly string[]): VersionLine[] => [
    ...now.filter((one) => !then.includes(one)).map((dataset) => ({ change: "added" as const, role, dataset })),
    ...then.filter((one) => !now.includes(one)).map((dataset) => ({ change: "removed" as const, role, dataset })),
  ];
  return [...lines("reads", version.inputs, before.inputs), ...lines("writes", version.outputs, before.outputs)];
}

export interface SqlLine {
  change: "same" | "added" | "removed";
  text: string;
}

const MOST_LINES = 600;

/** Two statements line by line: the longest common lines stay, the others were removed or added. Longer ones than
 * six hundred lines are told as removed and added as a whole. */
export function sqlDifference(before: string, after: string): SqlLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  if (old.length > MOST_LINES || now.length > MOST_LINES)
    return [
      ...old.map((text) => ({ change: "removed" as const, text })),
      ...now.map((text) => ({ change: "added" as const, text })),
    ];
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      lengths[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const found: SqlLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      found.push({ change: "same", text: old[i] ?? "" });
      i++;
      j++;
    } else if (i < old.length && (j >= now.length || at(i + 1, j) >= at(i, j + 1)))
      found.push({ change: "removed", text: old[i++] ?? "" });
    else found.push({ change: "added", text: now[j++] ?? "" });
  }
  return found;
}
