import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";
import type { ServerOptions } from "./tests/browser/server";

/** Debian's Chromium, or the one that CHROMIUM names. */
const chromium = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path && existsSync(path));

/** Tests in a browser, against a real server: one browser at a time. `scripts/browser.sh FILE` runs a file. */
export default defineConfig<object, ServerOptions>({
  testDir: "tests/browser",
  outputDir: "screenshots/failed",
  workers: 1,
  fullyParallel: false,
  retries: 0,
  timeout: 180_000,
  expect: { timeout: 30_000 },
  forbidOnly: process.env["CI"] === "true",
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    headless: true,
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    timezoneId: "UTC",
    colorScheme: "light",
    actionTimeout: 30_000,
    navigationTimeout: 60_000,
    screenshot: "only-on-failure",
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
