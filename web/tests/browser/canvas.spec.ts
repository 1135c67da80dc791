import { readFile } from "node:fs/promises";
import { expect, expectAccessible, look, type Page, settled, test } from "./test";

test.use({ world: "demo" });

const WAREHOUSE = "dataset:postgres://warehouse.shop.example.com:5432:warehouse";
const CUSTOMERS = `${WAREHOUSE}.marts.dim_customers`;
const lineage = (id: string, more = "") => `/lineage?id=${encodeURIComponent(id)}${more}`;

async function open(page: Page, id: string, more = ""): Promise<void> {
  await page.goto(lineage(id, more));
  await settled(page);
  await expect(page.locator("article[data-card]").first()).toBeVisible();
}
const cards = (page: Page) => page.locator("article[data-card]");
const card = (page: Page, title: string) =>
  cards(page)
    .filter({ has: page.getByText(title, { exact: true }) })
    .first();
const panel = (page: Page) => page.getByRole("complementary", { name: "Explanation" });

test("begins with one step each way, and grows by what is asked for without moving what is there", async ({ page }) => {
  await open(page, CUSTOMERS);
  await look(page, "canvas");
  const keys = () => cards(page).evaluateAll((all) => all.map((one) => one.getAttribute("data-card") ?? ""));
  const before = await keys();
  const start = card(page, "dim_customers");
  const place = await start.evaluate((element) => element.parentElement?.style.transform);
  await page
    .getByRole("button", { name: /^Show \d+ more/ })
    .first()
    .click();
  await expect.poll(async () => (await keys()).filter((key) => !before.includes(key)).length).toBeGreaterThan(0);
  await expect(page).toHaveURL(/expand=dataset/);
  await page.getByRole("button", { name: "Show all (0)" }).click();
  expect(await start.evaluate((element) => element.parentElement?.style.transform)).toBe(place);
  await page.goBack();
  await expect(page).not.toHaveURL(/expand=/);
  await expect.poll(async () => (await keys()).every((key) => before.includes(key))).toBe(true);
});

test("a column lights its whole path, says how its values got there, and the address keeps it", async ({ page }) => {
  await open(page, CUSTOMERS, "&steps=3");
  await card(page, "dim_customers")
    .getByRole("button", { name: /columns/ })
    .click();
  const rows = card(page, "dim_customers").getByRole("list").getByRole("button");
  await expect(rows.first()).toBeVisible();
  await rows.first().hover();
  await expect(page.getByRole("status").filter({ hasText: "dim_customers" })).toBeVisible();
  await rows.first().click();
  await expect(panel(page)).toContainText(/gets its values from|begin in/);
  await expect(page).toHaveURL(/pick=dataset.*%23/);
  await look(page, "canvas-column");
  await page.reload();
  await expect(panel(page)).toContainText(/gets its values from|begin in/);
});

test("an edge is explained by a click, with its job and its SQL", async ({ page }) => {
  await open(page, CUSTOMERS);
  await page.getByRole("button", { name: /^Job / }).first().click();
  await expect(panel(page)).toContainText(/come from|is made from|has \d+ column/);
  await expect(panel(page)).toContainText("Last run");
  await look(page, "canvas-edge");
  await page.getByRole("button", { name: "Close the explanation" }).click();
  await expect(panel(page)).toHaveCount(0);
});

test("the keyboard alone walks, unfolds, explains, finds and leaves", async ({ page }) => {
  await open(page, CUSTOMERS, "&steps=2");
  await card(page, "dim_customers").getByRole("button").first().focus();
  await page.keyboard.press("ArrowLeft");
  await expect(panel(page).getByRole("heading", { level: 2 })).not.toHaveText("dim_customers");
  await page.keyboard.press("ArrowRight");
  await expect(panel(page).getByRole("heading", { level: 2 })).toHaveText("dim_customers");
  await page.keyboard.press("c");
  await expect(page).toHaveURL(/unfold=/);
  await page.keyboard.press("e");
  await expect(panel(page)).toContainText("Reported by");
  await page.keyboard.press("Escape");
  await expect(panel(page)).toHaveCount(0);
  await page.keyboard.press("f");
  await page.getByRole("textbox", { name: "Find a table or column here" }).fill("stg_cust");
  await page.keyboard.press("Enter");
  await expect(panel(page).getByRole("heading", { level: 2 })).toHaveText("stg_customers");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Keys and signs (?)" }).click();
  await expect(page.getByRole("dialog", { name: "Keys and signs" })).toBeVisible();
  await expectAccessible(page);
});

test("depth, direction, granularity, groups, noise and end points stand in the address", async ({ page }) => {
  await open(page, CUSTOMERS);
  await page.getByRole("button", { name: "One step more" }).click();
  await expect(page).toHaveURL(/steps=2/);
  await page.getByRole("button", { name: "Direction" }).click();
  await page.getByRole("menuitemradio", { name: "upstream" }).click();
  await expect(page).toHaveURL(/way=upstream/);
  await page.getByRole("button", { name: "by", exact: true }).click();
  await page.getByRole("menuitemradio", { name: "column" }).click();
  await expect(cards(page).first().getByRole("list")).toBeVisible();
  await look(page, "canvas-by-column");
  await page.getByRole("button", { name: "by", exact: true }).click();
  await page.getByRole("menuitemradio", { name: "run" }).click();
  await expect(page.getByRole("button", { name: /^Run / }).first()).toBeVisible();
  await page.goto(lineage(CUSTOMERS, "&steps=4&group=schema"));
  await expect(page.getByRole("button", { name: /press to unfold/ }).first()).toBeVisible();
  await look(page, "canvas-groups");
  const folded = await page.getByRole("button", { name: /press to unfold/ }).count();
  await page
    .getByRole("button", { name: /press to unfold/ })
    .first()
    .click();
  await expect(page.getByRole("button", { name: /press to unfold/ })).toHaveCount(folded - 1);
  await page.goto(lineage(CUSTOMERS));
  await page.getByRole("button", { name: "End points" }).click();
  await expect(page).toHaveURL(/ends=true/);
  await page.goto(lineage(CUSTOMERS));
  await page.getByRole("button", { name: "Filter" }).click();
  await page.getByRole("textbox", { name: "Names like *_backup" }).fill("*.stg_*");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/hide=/);
  await expect(card(page, "stg_customers")).toHaveCount(0);
});

test("the slider goes back to the moment before the last change, and now is one key away", async ({ page }) => {
  await open(page, `${WAREHOUSE}.marts.fct_orders`, "&steps=3");
  const back = page.getByRole("button", { name: "The change before" });
  await expect(back).toBeEnabled();
  await back.click();
  await expect(page).toHaveURL(/as_of=/);
  await settled(page);
  await expect(page.getByRole("button", { name: "Back to now" })).toBeVisible();
  await look(page, "canvas-as-of");
  await page.getByRole("button", { name: "Back to now" }).click();
  await expect(page).not.toHaveURL(/as_of=/);
});

test("is saved as PNG, SVG, CSV and Mermaid, and as a link to the same view", async ({ page }) => {
  await open(page, CUSTOMERS);
  const saved = async (name: string) => {
    await page.getByRole("button", { name: "Save as a file" }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name, exact: true }).click(),
    ]);
    return readFile(await download.path());
  };
  expect((await saved("PNG")).subarray(1, 4).toString()).toBe("PNG");
  expect((await saved("SVG")).toString()).toMatch(/^<svg[^]*dim_customers[^]*<\/svg>$/);
  expect((await saved("CSV")).toString()).toMatch(/from,from_column,to,to_column[^]*stg_customers/);
  expect((await saved("Mermaid")).toString()).toMatch(/^flowchart LR\n[^]*dim_customers/);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Larger (+)" }).click();
  await page.getByRole("button", { name: "Copy a link to this view" }).click();
  await expect(page.getByText("Copied")).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(/at=dataset/);
  await page.goto(link);
  await expect(cards(page).first()).toBeVisible();
});

test("names that are markup, very long or run the other way spoil nothing", async ({ page, server }) => {
  const hostile = `<img src=x onerror=alert(1)>\u202e${"x".repeat(1800)}`;
  await server.send({
    eventTime: "2026-11-18T10:00:00Z",
    eventType: "COMPLETE",
    run: { runId: "0190c0de-0000-7000-8000-000000000077" },
    job: { namespace: "etl", name: hostile },
    inputs: [{ namespace: "s3://lake", name: hostile }],
    outputs: [
      {
        namespace: "s3://lake",
        name: "hostile.target",
        facets: { schema: { fields: [{ name: hostile.slice(0, 300), type: "string" }] } },
      },
    ],
  });
  await open(page, "dataset:s3://lake:hostile.target");
  await cards(page)
    .last()
    .getByRole("button", { name: /column/ })
    .click();
  await page.getByRole("button", { name: /^Job / }).click();
  await expect(panel(page)).toContainText("is made from");
  await look(page, "canvas-hostile");
  await expect(page.locator("img")).toHaveCount(0);
});

test("something alone says so, and something that is not there offers the search", async ({
  page,
  server,
  allowed,
}) => {
  allowed.push(/404/);
  await server.send({
    eventTime: "2026-11-18T10:00:00Z",
    eventType: "COMPLETE",
    run: { runId: "0190c0de-0000-7000-8000-000000000078" },
    job: { namespace: "etl", name: "alone" },
    inputs: [{ namespace: "s3://lake", name: "lonely" }],
  });
  await open(page, "dataset:s3://lake:lonely");
  await expect(page.getByRole("status").filter({ hasText: "Nothing is known that flows" })).toBeVisible();
  await look(page, "canvas-alone");
  await page.goto(lineage("dataset:s3://lake:there-is-no-such-thing"));
  await expect(page.getByRole("alert")).toContainText("There is no such thing here");
});
