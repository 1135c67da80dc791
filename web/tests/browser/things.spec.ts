import { expect, expectAccessible, look, test } from "./test";

test.use({ world: "demo" });

const SALES = "dataset:s3://shop-lake:core/sales";
const BUILD = "job:spark://shop:build_reports.build_sales";

test("home says what failed and what hangs on it, and leads there", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toContainText(/\d+ runs? failed since yesterday, feeding/);
  const failed = page.getByRole("region", { name: "Failed runs" });
  await expect(failed.getByRole("listitem").first()).toBeVisible();
  const late = page.getByRole("region", { name: "Should have been written by now" });
  await expect(late.getByRole("listitem").first()).toBeVisible();
  await expect(page.getByRole("region", { name: "Changes" }).getByRole("listitem").first()).toBeVisible();
  await look(page, "home");
  await failed.getByRole("link", { name: "build_sales" }).click();
  await expect(page.getByText("Why it failed")).toBeVisible();
  await look(page, "run-failed");
  await page.goto("/");
  await expect(page.getByRole("region", { name: "Looked at last" }).getByRole("listitem").first()).toBeVisible();
});

test("a dataset: drawn and in words, then each tab", async ({ page }) => {
  test.slow(); // axe looks at eight tabs
  await page.goto(`/dataset?id=${SALES}`);
  await expect(page.getByRole("complementary", { name: "In words" })).toContainText("Written about every day");
  await expect(page.getByRole("tab", { name: "Lineage" })).toHaveAttribute("aria-selected", "true");
  await look(page, "dataset");
  for (const tab of ["Columns", "Schema history", "Use", "Quality", "Runs", "By hand", "Raw"]) {
    await page.getByRole("tab", { name: new RegExp(`^${tab}`) }).click();
    await expect(page.getByRole("tabpanel")).not.toBeEmpty();
    await look(page, `dataset-${tab.toLowerCase().replaceAll(" ", "-")}`);
  }
  await page.goBack();
  await expect(page.getByRole("tab", { name: /^By hand/ })).toHaveAttribute("aria-selected", "true");
});

test("a column: its path up and down", async ({ page }) => {
  await page.goto(`/dataset?id=${SALES}&tab=columns`);
  await page.getByLabel("Narrow by typing").fill("amount");
  const rows = page.getByRole("table", { name: "Columns" }).locator("tbody tr");
  await expect(rows).toHaveCount(1);
  await rows.getByRole("link", { name: "amount" }).click();
  await expect(page).toHaveURL(/\/column\?id=.*amount/);
  await expect(page.getByText(/Its values come from \d+ columns? and reach \d+ columns?/)).toBeVisible();
  await look(page, "column");
});

test("a job: its runs as bars, walked with the arrow keys; its SQL with its columns", async ({ page }) => {
  await page.goto(`/job?id=${BUILD}`);
  const bars = page.getByRole("group", { name: /runs: height is duration/ }).getByRole("button");
  await expect(bars.last()).toBeVisible();
  await bars.last().focus();
  await page.keyboard.press("ArrowLeft");
  await expect(bars.nth(-2)).toBeFocused();
  await look(page, "job");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/run\?id=run/);
  await page.goto(`/job?id=${BUILD}&tab=versions`);
  await expect(page.getByText("The first that was seen.")).toBeVisible();
  await look(page, "job-versions");
});

test("a run of parts: along time, beside the run before, with its events", async ({ page, server }) => {
  const answer = await fetch(`${server.url}/api/v2/runs?job=job:spark://shop:build_reports&status=SUCCEEDED&limit=1`);
  const { items } = (await answer.json()) as { items: { id: string }[] };
  await page.goto(`/run?id=${items[0]?.id}`);
  await expect(page.getByRole("region", { name: "Parts along time" }).getByRole("listitem").first()).toBeVisible();
  await expect(page.getByRole("region", { name: "Wrote" })).toContainText("%");
  await look(page, "run");
  await page.getByRole("tab", { name: "Events" }).click();
  await page.getByRole("button", { name: /START/ }).first().click();
  await expect(page.getByText('"eventType": "START"')).toBeVisible();
  await expectAccessible(page);
});

test("tags by hand: put on with a reason, in the history, and taken back", async ({ page }) => {
  await page.goto(`/dataset?id=${SALES}`);
  await page.getByRole("button", { name: "Change", exact: true }).first().click();
  await page.getByRole("menuitem", { name: "Tags" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Another tag").fill("gold");
  await page.keyboard.press("Enter");
  await dialog.getByLabel("Why").fill("for the test");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save tags" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.locator("main header").getByText("# gold")).toBeVisible();
  await page.getByRole("tab", { name: /^By hand/ }).click();
  const row = page.getByRole("row", { name: /gold/ });
  await expect(row).toContainText("for the test");
  await row.getByRole("button", { name: "Take back" }).click();
  await expect(page.locator("main header").getByText("# gold")).toBeHidden();
});

test("a moment is looked at: what cannot go back says so, and nothing can be changed", async ({ page }) => {
  await page.goto(`/dataset?id=${SALES}&as_of=2020-01-01T00:00:00Z&tab=columns`);
  await expect(page.getByText("Lineage, schemas and runs are shown as of")).toBeVisible();
  await expect(page.getByText("At the moment that is looked at no schema was known yet.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Change", exact: true })).toHaveCount(0);
  await page.goto("/datasets?as_of=2020-01-01T00:00:00Z");
  await expect(page.getByText("Nothing is here yet")).toBeVisible();
});

test("what is not there, and what was not chosen, say what to do", async ({ page, allowed }) => {
  allowed.push(/404/);
  await page.goto("/dataset?id=dataset:s3://nowhere:nothing");
  await expect(page.getByText("There is no such thing here")).toBeVisible();
  await look(page, "dataset-missing");
  await page.goto("/job");
  await expect(page.getByText("Nothing is chosen")).toBeVisible();
  await expectAccessible(page);
});

for (const [kind, path] of [
  ["user", "/user?id=user:etl"],
  ["location", "/location?id=location:s3://shop-lake"],
  ["edits", "/edits"],
] as const)
  test(`the page of a ${kind}`, async ({ page }) => {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await look(page, kind);
  });
