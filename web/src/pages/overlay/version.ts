import type { NodeMark } from "@/canvas/records";

/** What events say of a version of an overlay and of its proof. None of it is a proof. */
export interface Version {
  /** Confirmations that were needed when it was emitted. */
  confs: number | null;
  bundleHash: string | null;
  decision: string | null;
  reasons: readonly string[];
  isUnstable: boolean;
  isAborted: boolean;
  isRetracted: boolean;
  contentHash: string | null;
  createdAt: string | null;
  publisher: string | null;
  depth: number | null;
}

type Facets = Readonly<Record<string, unknown>>;

/** A version out of the facets of its dataset and of its run; each may be missing or of another form. Pure. */
export function versionOf(facets: Facets, more: { isAborted?: boolean; isRetracted?: boolean } = {}): Version {
  const [spv, reorg, change] = [
    facet(facets, "gitdataSpv"),
    facet(facets, "reorgFacet"),
    facet(facets, "lifecycleStateChange"),
  ];
  const [content, provenance] = [facet(facets, "datasetVersion"), facet(facets, "gitdataProvenance")];
  const isAborted = more.isAborted ?? false;
  return {
    confs: number(spv["confs"]),
    bundleHash: text(spv["bundleHash"]),
    decision: text(spv["readyDecision"]),
    reasons: Array.isArray(spv["readyReasons"]) ? spv["readyReasons"].flatMap((one) => text(one) ?? []) : [],
    isUnstable: reorg["unstable"] === true && !isAborted,
    isAborted,
    isRetracted: (more.isRetracted ?? false) || change["lifecycleState"] === "RETRACTED",
    contentHash: text(content["contentHash"]),
    createdAt: text(content["createdAt"]),
    publisher: text(provenance["producerIdentityKey"]),
    depth: number(provenance["lineageDepth"]),
  };
}

/** The words for what is said of a version. None is green: nothing of it was verified. Pure. */
export function marksOfVersion(version: Version): NodeMark[] {
  const marks: NodeMark[] = [];
  if (version.isRetracted) marks.push({ code: "retracted", tone: "failed" });
  if (version.isAborted) marks.push({ code: "aborted", tone: "failed" });
  if (version.isUnstable) marks.push({ code: "unstable", tone: "stale" });
  if (version.decision)
    marks.push({ code: "decision", tone: version.decision === "ready" ? "accent" : "stale", text: version.decision });
  if (version.bundleHash) marks.push({ code: "proof", tone: "plain" });
  return marks;
}

function facet(facets: Facets, name: string): Record<string, unknown> {
  const found = facets[name];
  return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Record<string, unknown>) : {};
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
