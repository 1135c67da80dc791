import { useMarkWord } from "@/canvas/draw/marks";
import { Badge } from "@/parts";
import type { DatasetEntity } from "../shared/records";
import { marksOfVersion, versionOf } from "./version";

/** What events say of a version of an overlay, in words. */
export function VersionMarks({ dataset }: { dataset: DatasetEntity }) {
  const wordOf = useMarkWord();
  const version = versionOf(dataset.facets, {
    isAborted: dataset.use.last_attempt?.status === "KILLED",
    isRetracted: dataset.retracted_at !== null,
  });
  return marksOfVersion(version).map((mark) => (
    <Badge key={mark.code} tone={mark.tone}>
      {wordOf(mark)}
    </Badge>
  ));
}
