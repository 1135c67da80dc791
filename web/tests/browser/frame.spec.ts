import { expect, expectAccessible, look, test } from "./test";

test.use({ world: "recorded" });

test("the rail leads to the lists, by mouse and by keyboard, and Back returns", async ({ page }) => {
  await page.goto("/");
  const rail = page.getByRole("navigation", { name: "Main navigation" });
  await rail.getByRole("link", { name: "Datasets" }).click();
  await expect(page).toHaveURL(/\/datasets$/);
  await expect(page.getByRole("heading", { level: 1, name: "Datasets" })).toBeVisible();
  await rail.getByRole("link", { name: "Runs" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Runs" })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/\/datasets$/);
});

test("the theme that was chosen stays, whatever the system wants", async ({ page }) => {
  await page.goto("/datasets");
  await page.getByRole("button", { name: "Theme" }).click();
  await expectAccessible(page);
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("four languages, and the chosen one stays", async ({ page }) => {
  await page.goto("/runs");
  for (const [name, code, title] of [
    ["中文", "zh", "运行"],
    ["Русский", "ru", "Запуски"],
    ["Deutsch", "de", "Läufe"],
  ] as const) {
    await page.locator("header").getByRole("button").last().click();
    await page.getByRole("menuitemradio", { name }).click();
    await expect(page.locator("html")).toHaveAttribute("lang", code);
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
    if (code === "zh") await look(page, "runs-zh");
  }
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("lang", "de");
});

test("a moment is kept in the address from page to page, until one goes back to now", async ({ page }) => {
  await page.goto("/datasets");
  await page.getByRole("button", { name: "Choose a moment" }).click();
  await page.getByRole("dialog").locator("input").fill("2025-01-01T00:00");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Look at this moment" }).click();
  await expect(page).toHaveURL(/as_of=2025-01-01T00%3A00%3A00Z/);
  await page.getByRole("navigation", { name: "Main navigation" }).getByRole("link", { name: "Jobs" }).click();
  await expect(page).toHaveURL(/\/jobs\?as_of=/);
  await expect(page.getByText("What was first seen by")).toBeVisible();
  await look(page, "jobs-in-the-past");
  await page.getByRole("button", { name: "Back to now" }).click();
  await expect(page).toHaveURL(/\/jobs$/);
});

test("keyboard alone: the first Tab offers to skip to the content", async ({ page }) => {
  await page.goto("/datasets");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Skip to the content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("main")).toBeFocused();
});

test("an address that leads nowhere says so", async ({ page }) => {
  await page.goto("/nowhere");
  await expect(page.getByRole("heading", { level: 1, name: "There is no such page" })).toBeVisible();
  await expectAccessible(page);
});
