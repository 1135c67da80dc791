import { readFile } from "node:fs/promises";
import { expect, look, settled, test } from "./test";

test.use({ world: "demo" });

const SHOP = "dataset:postgres://db.shop.example.com:5432:shop.public";
const WAREHOUSE = "dataset:postgres://warehouse.shop.example.com:5432:warehouse";
const asked = (values: Record<string, string>) => new URLSearchParams(values).toString();

test("impact: picked by typing, grouped, with the way to each and as CSV", async ({ page }) => {
  await page.goto("/impact");
  await expect(page.getByText("What do you want to change?")).toBeVisible();
  await look(page, "impact-none");
  await page.getByRole("combobox", { name: "Dataset or column" }).fill("shop.public.orders");
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/name=/);
  await page.goto(`/impact?${asked({ name: `${SHOP}.orders` })}`);
  await expect(page.getByText(/this affects \d+ datasets, \d+ dashboards and \d+ jobs of \d+ owners/)).toBeVisible();
  await page
    .getByRole("button", { name: /^The way to stg_orders/ })
    .first()
    .click();
  await expect(page.getByRole("list").filter({ hasText: "clean_orders" }).first()).toBeVisible();
  await look(page, "impact");
  await page.getByRole("combobox", { name: "Group by" }).selectOption("owner");
  await expect(page.getByRole("region", { name: "team-analytics" })).toBeVisible();
  await page.getByRole("combobox", { name: "Group by" }).selectOption("kind");
  await expect(page.getByRole("region", { name: "Dashboard" })).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV" }).click(),
  ]);
  expect((await readFile(await download.path())).toString()).toMatch(/id,kind,distance[^]*dashboard/);
  await page.getByRole("checkbox", { name: "columns" }).check();
  await expect(page.getByText(/this affects \d+ columns/)).toBeVisible();
});

test("ways between two things, drawn and listed; none where there is none", async ({ page }) => {
  await page.goto("/paths");
  await expect(page.getByText("Choose two things")).toBeVisible();
  await page.goto(`/paths?${asked({ from: `${SHOP}.orders`, to: `${WAREHOUSE}.staging.stg_orders` })}`);
  await expect(page.getByText(/shortest way/)).toBeVisible();
  await expect(page.locator("article[data-card]").first()).toBeVisible();
  await look(page, "paths");
  await page.getByRole("button", { name: "Turn round" }).click();
  await expect(page.getByText("Data goes the other way round")).toBeVisible();
  await page.goto(`/paths?${asked({ from: `${SHOP}.carriers`, to: `${SHOP}.orders` })}`);
  await expect(page.getByText("No way leads from one to the other")).toBeVisible();
});

test("tagged values: what is not masked first, with the proof", async ({ page }) => {
  await page.goto("/pii");
  await settled(page);
  await page
    .getByRole("navigation", { name: "Tags" })
    .getByRole("link", { name: /pii=email/ })
    .click();
  await expect(page).toHaveURL(/tag=pii/);
  await expect(page.getByText(/Values tagged pii=email reach \d+ columns/)).toBeVisible();
  await page
    .getByRole("button", { name: /^The way to/ })
    .first()
    .click();
  await expect(page.getByRole("link", { name: "As a picture" }).first()).toBeVisible();
  await look(page, "pii");
});

test("changes by what caused them, narrowed by kind, each leads to the difference", async ({ page }) => {
  await page.goto("/changes?days=30");
  await settled(page);
  await expect(page.getByText(/A run of .* failed/).first()).toBeVisible();
  await look(page, "changes");
  await page.getByRole("button", { name: "schema", exact: true }).click();
  await expect(page.getByText(/Columns of .* changed/).first()).toBeVisible();
  await expect(page.getByText(/A run of .* failed/)).toHaveCount(0);
  await page.getByRole("link", { name: "As a difference" }).first().click();
  await expect(page).toHaveURL(/\/diff\?.*from=/);
  await expect(page.getByRole("region", { name: "What changed" })).toContainText("Schemas");
  await look(page, "diff-schema");
});

test("the difference between two moments, and between two runs of a job", async ({ page }) => {
  await page.goto("/diff");
  await expect(page.getByText("Choose what to compare")).toBeVisible();
  await page.goto(`/diff?${asked({ id: `${WAREHOUSE}.marts.fct_orders`, from: "2020-01-01T00:00:00Z" })}`);
  await expect(page.getByRole("region", { name: "What changed" })).toContainText(/\d+ cards came or went/);
  await look(page, "diff");
  await page.goto(`/diff?${asked({ id: "job:spark://shop:load_shop" })}`);
  const before = page.getByRole("combobox", { name: "or run" });
  await expect(before).toBeVisible();
  await before.selectOption({ index: 3 });
  await expect(page).toHaveURL(/run=run.*other=run|other=run.*run=run/);
  await expect(page.getByRole("region", { name: "What changed" })).toContainText(/Nothing changed|came or went/);
});

test("a column is picked by its name, also while the past is looked at", async ({ page }) => {
  for (const past of ["", "?as_of=2999-01-01T00:00:00Z"]) {
    await page.goto(`/impact${past}`);
    const field = page.getByRole("combobox", { name: "Dataset or column" });
    await field.fill("order_items quantity");
    await page
      .getByRole("option", { name: /order_items\.quantity/ })
      .first()
      .click();
    await expect(page).toHaveURL(/name=[^&]*order_items%23quantity/);
    await expect(page.getByText(/this affects \d+ columns/)).toBeVisible();
  }
});

test("a page leads to the ways from it and to its difference", async ({ page }) => {
  await page.goto(`/dataset?${asked({ id: `${SHOP}.orders` })}`);
  await page.getByRole("link", { name: "Difference" }).click();
  await expect(page).toHaveURL(/\/diff\?.*orders/);
  await page.goBack();
  await page.getByRole("link", { name: "Ways" }).click();
  await expect(page).toHaveURL(/\/paths\?from=.*orders/);
});

test.describe("in Russian", () => {
  test.use({ locale: "ru-RU" });

  test("each line of the impact is one line high", async ({ page }) => {
    await page.goto(`/impact?${asked({ name: `${SHOP}.orders` })}`);
    const lines = page.getByRole("region").getByRole("listitem");
    await expect(lines.filter({ hasText: "Набор данных" }).first()).toBeVisible();
    const heights = await lines.evaluateAll((found) => found.map((line) => line.getBoundingClientRect().height));
    expect(Math.max(...heights)).toBeLessThan(40);
  });
});
