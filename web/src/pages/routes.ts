import type { PageRoute } from "@/frame/router";

/** Every page but home, signing in and the first run: its path, and the chunk that draws it (its default export). */
export const PAGES: readonly PageRoute[] = [
  { path: "/search", load: () => import("./search/SearchPage") },
  { path: "/lineage", load: () => import("./lineage/LineagePage") },
  { path: "/diff", load: () => import("./diff/DiffPage") },
  { path: "/impact", load: () => import("./impact/ImpactPage") },
  { path: "/paths", load: () => import("./paths/PathsPage") },
  { path: "/pii", load: () => import("./pii/PiiPage") },
  { path: "/changes", load: () => import("./changes/ChangesPage") },
  { path: "/dataset", load: () => import("./dataset/DatasetPage") },
  { path: "/column", load: () => import("./column/ColumnPage") },
  { path: "/job", load: () => import("./job/JobPage") },
  { path: "/run", load: () => import("./run/RunPage") },
  { path: "/user", load: () => import("./things/UserPage") },
  { path: "/location", load: () => import("./things/LocationPage") },
  { path: "/statement", load: () => import("./things/StatementPage") },
  { path: "/catalog", load: () => import("./assets/AssetsPage") },
  { path: "/edits", load: () => import("./edits/EditsPage") },
  { path: "/datasets", load: () => import("./lists/Datasets") },
  { path: "/jobs", load: () => import("./lists/Jobs") },
  { path: "/runs", load: () => import("./lists/Runs") },
  { path: "/locations", load: () => import("./lists/Locations") },
  { path: "/users", load: () => import("./lists/Users") },
  { path: "/tags", load: () => import("./lists/TagsList") },
  { path: "/statements", load: () => import("./lists/Statements") },
];
