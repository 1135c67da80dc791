export * from "./state";
export { type SetView, useFrameView, useMoment, useView } from "./useView";
