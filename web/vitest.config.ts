import { defineConfig, mergeConfig } from "vitest/config";
import page from "./vite.config.ts";

/** Unit tests. Apart from vite.config.ts, since `make run` builds the page without the tools of tests. */
export default mergeConfig(
  page,
  defineConfig({
    test: {
      environment: "happy-dom",
      include: ["src/**/*.test.{ts,tsx}", "tests/**/*.test.{ts,tsx}"],
      exclude: ["tests/browser/**"],
      setupFiles: ["tests/setup.ts"],
      pool: "threads",
      maxWorkers: 2,
    },
  }),
);
