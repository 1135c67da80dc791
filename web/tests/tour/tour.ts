import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Page, settled, showTheme, test } from "../browser/test";

/** Takes the screenshots of docs/tour.md: views of the demo, light and dark, small enough to keep beside the text. */
test.use({ world: "demo", viewport: { width: 1280, height: 800 } });

const PICTURES = resolve(import.meta.dirname, "../../../docs/tour");
const QUALITY = 62;
const SALES = "dataset:s3://shop-lake:core/sales";
const ITEMS = "dataset:postgres://db.shop.example.com:5432:shop.public.order_items";
const AUDIENCE = "column:superset://bi.shop.example.com:newsletter_audience#email";

const address = (path: string, query: Record<string, string>) => `${path}?${new URLSearchParams(query).toString()}`;

const VIEWS: readonly [string, string][] = [
  ["home", "/"],
  ["lineage", address("/lineage", { id: SALES, steps: "2" })],
  ["dataset", address("/dataset", { id: ITEMS })],
  ["column", address("/column", { id: AUDIENCE })],
  ["impact", address("/impact", { name: `${ITEMS}#price` })],
  ["pii", address("/pii", { tag: "pii=email" })],
  ["operations", "/operations"],
];

async function take(page: Page, name: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  writeFileSync(join(PICTURES, `${name}.webp`), Buffer.from(data, "base64"));
  await session.detach();
}

test("the pictures of the tour", async ({ page, server, allowed }) => {
  allowed.push(/./);
  mkdirSync(PICTURES, { recursive: true });
  for (const body of ["no event", "nor this", "{}"])
    await fetch(`${server.url}/api/v1/lineage`, { method: "POST", body });
  for (const [name, path] of VIEWS)
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      await page.goto(path);
      await settled(page);
      await showTheme(page, theme);
      await page.waitForTimeout(1500); // what is laid out comes to rest
      await take(page, `${name}-${theme}`);
    }
});
