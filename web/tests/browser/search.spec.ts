import { expect, expectAccessible, look, test } from "./test";

test.use({ world: "recorded" });

test("Ctrl-K, type, choose with the arrow keys, Enter opens", async ({ page }) => {
  await page.goto("/datasets");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.keyboard.press("Control+k");
  const box = page.getByRole("combobox", { name: "Search tables, columns, jobs, SQL" });
  await expect(box).toBeFocused();
  await page.keyboard.type("customer");
  const options = page.getByRole("option");
  await expect(options.nth(2)).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("ArrowDown");
  await expect(options.nth(1)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/\w+\?id=/);
});

test("`/` leads into the box, Escape out of it; Enter on the last line shows all results", async ({ page }) => {
  await page.goto("/jobs");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.keyboard.press("/");
  const box = page.getByRole("combobox", { name: "Search tables" });
  await expect(box).toBeFocused();
  await expect(box).toHaveValue("");
  await page.keyboard.type("orders");
  await expect(page.getByRole("option").nth(1)).toBeVisible();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/search\?q=orders/);
  await expect(page.getByRole("list", { name: "Results" }).getByRole("listitem").first()).toContainText(/orders/i);
  await look(page, "search-orders");
});

test("the id of a run leads to the run, also while the past is looked at", async ({ page, server }) => {
  const { items } = await (await fetch(`${server.url}/api/v2/runs?limit=1`)).json();
  await page.goto("/datasets?as_of=2026-01-01T00:00:00Z");
  await page.getByRole("combobox", { name: "Search tables" }).fill(items[0].id.replace("run:", ""));
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/run\?.*id=run/);
});

test("a misspelt name is found, and the middle of one", async ({ page }) => {
  for (const typed of ["custmer", "ustomer_tot"]) {
    await page.goto(`/search?q=${typed}`);
    await expect(page.getByRole("list", { name: "Results" })).toContainText("customer_totals");
  }
});

test("kinds are counted, and narrow the results", async ({ page }) => {
  await page.goto("/search?q=orders");
  const kinds = page.getByRole("group", { name: "Kinds" });
  await kinds.getByRole("button", { name: /^Dataset/ }).click();
  await expect(page).toHaveURL(/kind=dataset/);
  await expect(kinds.getByRole("button", { name: /^Dataset/ })).toHaveAttribute("aria-pressed", "true");
  const hits = page.getByRole("list", { name: "Results" }).getByRole("listitem");
  for (const hit of await hits.all()) await expect(hit).toContainText("Dataset");
});

test("arrow keys walk through the results", async ({ page }) => {
  await page.goto("/search?q=orders");
  const links = page.getByRole("list", { name: "Results" }).getByRole("link");
  await links.first().focus();
  await page.keyboard.press("ArrowDown");
  await expect(links.nth(1)).toBeFocused();
});

test("nothing found, and nothing asked", async ({ page }) => {
  await page.goto("/search?q=zzzzqqqq");
  await expect(page.getByText("Nothing found for “zzzzqqqq”")).toBeVisible();
  await look(page, "search-nothing");
  await page.goto("/search");
  await expect(page.getByText("What are you looking for?")).toBeVisible();
  await expectAccessible(page);
});
