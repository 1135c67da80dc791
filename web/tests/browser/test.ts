import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page, test as base } from "@playwright/test";
import { Server, type ServerOptions } from "./server";

export { expect };
export type { Page };

const SCREENSHOTS = resolve(import.meta.dirname, "../../screenshots");
const NARROW = { width: 1280, height: 800 };
const WIDE = { width: 1920, height: 1080 };

/** A server for each file, also where one process runs several files. */
class Servers {
  private file = "";
  private server: Server | null = null;

  constructor(private readonly wanted: ServerOptions) {}

  async of(file: string): Promise<Server> {
    if (this.server === null || this.file !== file) {
      await this.stop();
      this.server = await Server.start(this.wanted);
      this.file = file;
    }
    return this.server;
  }

  async stop(): Promise<void> {
    await this.server?.stop();
    this.server = null;
  }
}

/**
 * `test` with a server of its own for each file: `test.use({ world: "recorded" })` at the top of the file says what is in it.
 * `page` starts at that server, and fails the test when the page throws, logs an error, breaks its Content-Security-Policy
 * or asks another host. A test that expects a failed answer names it: `allowed.push(/403/)`.
 */
export const test = base.extend<{ allowed: RegExp[]; server: Server }, ServerOptions & { servers: Servers }>({
  world: ["empty", { option: true, scope: "worker" }],
  options: [[], { option: true, scope: "worker" }],
  settings: [{}, { option: true, scope: "worker" }],
  servers: [
    async ({ world, options, settings }, use) => {
      const servers = new Servers({ world, options, settings });
      await use(servers);
      await servers.stop();
    },
    { scope: "worker" },
  ],
  server: [async ({ servers }, use, { file }) => use(await servers.of(file)), { timeout: 120_000 }],
  baseURL: async ({ server }, use) => use(server.url),
  // eslint-disable-next-line no-empty-pattern -- Playwright reads from it which fixtures are wanted
  allowed: async ({}, use) => use([]),
  page: async ({ page, server, allowed }, use) => {
    const wrong: string[] = [];
    page.on("pageerror", (error) => wrong.push(`thrown: ${error.stack ?? error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error") wrong.push(`logged: ${message.text()} ${message.location().url}`);
    });
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(server.url) && !/^(data|blob):/.test(url)) wrong.push(`another host is asked: ${url}`);
    });
    await use(page);
    expect(wrong.filter((one) => !allowed.some((pattern) => pattern.test(one)))).toEqual([]);
  },
});

/** Chooses the theme, as the menu in the top bar does, without loading the page again. */
export async function showTheme(page: Page, theme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
}

/** Nothing is loading any more. */
export async function settled(page: Page): Promise<void> {
  await expect(page.locator("main")).toBeVisible();
  await expect(page.getByRole("status", { name: "Loading" })).toHaveCount(0);
}

/** axe finds nothing wrong in what is seen now; with all its rules, or only the named ones. */
export async function expectAccessible(page: Page, rules: string[] | null = null): Promise<void> {
  const axe = new AxeBuilder({ page });
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.slice(0, 5).map((node) => `${id}: ${help}\n  ${node.html.slice(0, 200)}\n  ${node.failureSummary ?? ""}`),
  );
  expect(found.join("\n\n")).toBe("");
}

/**
 * Screenshots of what is seen now, light at 1280 and dark at 1920 px (with `SCREENSHOTS=all` both at both), in
 * `screenshots/NAME-....png`. axe looks at it, at the colours in both themes, and nothing may be wider than the window.
 */
export async function look(page: Page, name: string): Promise<void> {
  await settled(page);
  mkdirSync(SCREENSHOTS, { recursive: true });
  const before = page.viewportSize() ?? NARROW;
  const all = process.env["SCREENSHOTS"] === "all";
  for (const [theme, size] of [
    ["light", NARROW],
    ["dark", WIDE],
    ...(all
      ? ([
          ["dark", NARROW],
          ["light", WIDE],
        ] as const)
      : []),
  ] as const) {
    await showTheme(page, theme);
    await page.setViewportSize(size);
    await page.waitForTimeout(100); // what moves comes to rest
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${theme}-${size.width}.png`) });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(wide, `wider than ${size.width} px`).toBeLessThanOrEqual(0);
    if (size === NARROW && theme === "light") await expectAccessible(page);
    else if (!all) await expectAccessible(page, ["color-contrast"]);
  }
  await showTheme(page, "light");
  await page.setViewportSize(before);
}
