import { expect, expectAccessible, look, settled, test } from "./test";

test.use({ world: "recorded" });

test("refused events by reason, with an example and a retry", async ({ page, server }) => {
  for (const body of ["no event", "nor this", "{}"])
    await fetch(`${server.url}/api/v1/lineage`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
  await page.goto("/operations");
  await expect(page.getByRole("heading", { level: 1, name: "Operations" })).toBeVisible();
  const rows = page.getByRole("table", { name: "Refused events" }).locator("tbody tr");
  await expect(rows).toHaveCount(2);
  const wrong = rows.filter({ hasText: "invalid_json" });
  await expect(wrong).toContainText("2");
  await look(page, "operations");
  await wrong.getByRole("button", { name: "Example" }).click();
  await expect(page.getByRole("dialog")).toContainText(/no event|nor this/);
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await wrong.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByText("Taken: 0. Refused again: 2.")).toBeVisible();
});

test("the pipeline says how far it is", async ({ page }) => {
  await page.goto("/operations?tab=pipeline");
  await expect(page.getByText("The pipeline has never run.")).toBeVisible();
  await expectAccessible(page);
});

test("tasks say that there are none without a model", async ({ page }) => {
  await page.goto("/operations?tab=tasks");
  await expect(page.getByText("There are no tasks")).toBeVisible();
  await expect(page.getByText("No batch has run")).toBeVisible();
  await page.getByLabel("Show").selectOption("DEAD");
  await expect(page.getByText("There are no tasks")).toBeVisible();
  await look(page, "operations-tasks");
});

test("a tenant is created, limited and disabled", async ({ page }) => {
  await page.goto("/operations?tab=tenants");
  await page.getByRole("button", { name: "Create a tenant" }).click();
  await page.getByRole("dialog").getByLabel("Code").fill("sales");
  await page.getByRole("dialog").getByLabel("Name").fill("Sales");
  await page.getByRole("button", { name: "Save" }).click();
  const row = page.getByRole("table", { name: "Tenants" }).locator("tr", { hasText: "sales" });
  await row.getByRole("button", { name: "Limit" }).click();
  await page.getByRole("dialog").getByLabel("Events a second").fill("50");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await expect(row).toContainText("50");
  await row.getByRole("button", { name: "Disable" }).click();
  await expect(row).toContainText("disabled");
  await look(page, "operations-tenants");
});

test("the page tells the server how long it took", async ({ page, server }) => {
  await page.goto("/lineage?id=dataset:file:/srv/headwater/lake/orders");
  await settled(page);
  await expect
    .poll(
      async () => {
        await page.evaluate(() => {
          Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
          document.dispatchEvent(new Event("visibilitychange"));
        });
        const metrics = await (await fetch(`${server.url}/metrics`)).text();
        return Number(/^lineage_graph_load_ms_count (\S+)$/m.exec(metrics)?.[1] ?? 0);
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThan(0);
});

test("a model is set, tested and removed", async ({ page }) => {
  await page.goto("/operations?tab=models");
  await expect(page.getByText("No model is set")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Set the summary model" }).click();
  await expect(page.getByRole("dialog")).toContainText("outline");
  await page.getByRole("dialog").getByRole("button", { name: "Set", exact: true }).click();
  const row = page.getByRole("table", { name: "Models" }).locator("tbody tr");
  await expect(row).toContainText("outline:outline:o2");
  await row.getByRole("button", { name: "Test" }).click();
  await expect(page.getByText(/The model answers, in/)).toBeVisible();
  await expect(page.getByRole("table", { name: "Use by day" })).toContainText("Summaries");
  await look(page, "operations-models");
  await row.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No model is set")).toBeVisible();
});
