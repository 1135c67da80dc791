import base from "./playwright.config";

/** The screenshots of docs/tour.md: `web/scripts/tour.sh`. No test, so no part of `make test`. */
export default {
  ...base,
  testDir: "tests/tour",
  testMatch: "tour.ts",
  timeout: 300_000,
};
