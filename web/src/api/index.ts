export * from "./client";
export * from "./queries";
export type { components, paths } from "./schema";
export { currentTenant } from "./tenant";
