import { useTranslations } from "use-intl";
import { RunsTable } from "../shared/RunsTable";
import type { RunEntity } from "../shared/records";

const NOTHING: readonly string[] = [];

/** The runs and operations inside a run, as a list. */
export function PartsOfRun({ run }: { run: RunEntity }) {
  const words = useTranslations("pages.run");
  return <RunsTable filters={{ parent: run.run, kind: "any" }} without={NOTHING} label={words("tab.parts")} />;
}
