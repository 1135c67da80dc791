import { expect, settled, test } from "./test";

test.use({ world: "empty" });

test("a button loads the demo into an empty store, and there is a picture to look at", async ({ page, server }) => {
  await page.goto("/");
  await page.getByRole("button", { name: "Load the demo" }).click();
  await expect(page.getByText("The first event has arrived.")).toBeVisible({ timeout: 40_000 });
  await page.getByRole("button", { name: "See what there is" }).click();
  await settled(page);
  const again = await fetch(`${server.url}/api/v2/demo`, { method: "POST" });
  expect(again.status).toBe(409);
  await page.goto("/lineage?id=dataset:s3://shop-lake:core/sales");
  await expect(page.getByText("daily_revenue").first()).toBeVisible();
});
