export * from "./state";
export { useFrameView, useMoment, useView } from "./useView";
