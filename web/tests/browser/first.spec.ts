import { expect, look, settled, test } from "./test";

test.use({ world: "empty" });

test("an empty store says how to send the first event, notices it, and shows it", async ({ page, server }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1, name: "Nothing has arrived yet" })).toBeVisible();
  const snippet = page.getByRole("tabpanel").locator("pre");
  for (const name of ["Spark", "Airflow", "dbt", "Flink", "curl"]) {
    await page.getByRole("tab", { name }).click();
    await expect(snippet).toContainText(server.url);
    await expect(snippet).not.toContainText("hw_");
  }
  await look(page, "first-run");
  const command = (await snippet.innerText()).replaceAll("\\\n", " ");
  const event = /-d '(.*)'/s.exec(command)?.[1] ?? "";
  const address = /curl -i (\S+)/.exec(command)?.[1] ?? "";
  const sent = await fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body: event });
  expect(sent.status).toBe(201);
  await expect(page.getByText("The first event has arrived.")).toBeVisible();
  await expect(page.getByRole("link", { name: "clean.orders" })).toBeVisible();
  await page.getByRole("button", { name: "See what there is" }).click();
  await expect(page.getByText("Nothing has arrived yet")).toHaveCount(0);
  await page.goto("/");
  await settled(page);
  await expect(page.getByText("Nothing has arrived yet")).toHaveCount(0);
});
