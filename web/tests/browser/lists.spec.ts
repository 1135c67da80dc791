import { readFile } from "node:fs/promises";
import { expect, look, test } from "./test";

test.use({ world: "recorded" });

for (const list of ["datasets", "jobs", "runs", "locations", "users", "tags", "statements"])
  test(`the list of ${list}`, async ({ page }) => {
    await page.goto(`/${list}`);
    await expect(page.getByRole("table")).toBeVisible();
    await look(page, `list-${list}`);
  });

test("narrowed by typing, kept in the address, and cleared", async ({ page }) => {
  await page.goto("/datasets");
  const rows = page.getByRole("table").locator("tbody tr");
  await expect(rows.first()).toBeVisible();
  const all = await rows.count();
  await page.getByLabel("Part of the name").fill("customer");
  await expect(page).toHaveURL(/name=customer/);
  await expect.poll(() => rows.count()).toBeLessThan(all);
  await expect(rows.first()).toContainText(/customer/i); // while it is read, there are none
  const narrowed = await rows.count();
  for (const row of await rows.all()) await expect(row).toContainText(/customer/i);
  await page.reload();
  await expect(rows).toHaveCount(narrowed);
  await page.getByLabel("Part of the name").fill("customer nothing like it");
  await expect(page.getByText("Nothing matches these filters")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await expect(rows).toHaveCount(all);
});

test("sorted by a click on the heading, both ways", async ({ page }) => {
  await page.goto("/jobs");
  const names = page.getByRole("table").locator("tbody tr td:first-child");
  await expect(names.first()).toBeVisible();
  const before = await names.allInnerTexts();
  await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
  await expect(page).toHaveURL(/order=/);
  await expect.poll(() => names.allInnerTexts()).not.toEqual(before);
});

test("columns are chosen, and the address keeps them", async ({ page }) => {
  await page.goto("/datasets");
  await page.getByRole("button", { name: "Choose columns" }).click();
  await page.getByRole("menuitemradio", { name: "Namespace" }).click();
  await expect(page.getByRole("columnheader", { name: "Namespace" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("columnheader", { name: "Namespace" })).toBeVisible();
});

test("as CSV: a heading, and a line for each", async ({ page }) => {
  await page.goto("/datasets");
  await expect(page.getByRole("table").locator("tbody tr").first()).toBeVisible();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const text = await readFile(await (await saving).path(), "utf8");
  const lines = text.trim().split(/\r?\n/);
  expect(lines[0]).toContain("Name");
  const count = Number(await page.getByRole("heading", { level: 1 }).locator("..").locator(".mute").innerText());
  expect(lines.length).toBe(count + 1);
});
