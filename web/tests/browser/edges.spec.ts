import { expect, look, settled, test } from "./test";

test.use({ world: "empty" });

const table = (name: string) => ({ namespace: "lake", name, facets: { schema: { fields: [{ name: "id" }] } } });
const run = (number: number, inputs: string[], outputs: string[]) => ({
  eventType: "COMPLETE",
  eventTime: `2026-02-01T00:00:0${number}Z`,
  producer: "https://example.com",
  run: { runId: `0190c0de-0000-7000-8000-00000000000${number}` },
  job: { namespace: "etl", name: `job${number}` },
  inputs: inputs.map(table),
  outputs: outputs.map(table),
});

test("an edge is added by search, explained, and removed again", async ({ page, server, allowed }) => {
  await server.send(run(1, ["orders"], ["report"]), run(2, ["customers"], ["mart"]));
  await page.goto(`/dataset?id=${encodeURIComponent("dataset:lake:orders")}`);
  await settled(page);
  await page.getByRole("button", { name: "Change" }).first().click();
  await page.getByRole("menuitem", { name: "It feeds something else" }).click();
  await page.getByRole("combobox", { name: "Search for the other end" }).fill("mart");
  await page.getByRole("option").first().click();
  await page.getByRole("textbox", { name: /Why/ }).fill("seen in a script");
  await look(page, "edge-add");
  await page.getByRole("dialog").getByRole("button", { name: "Add the edge" }).click();
  await expect(page.getByText("Saved")).toBeVisible();

  allowed.push(/400/, /404/); // an edge to itself is refused; what was removed is asked for once more
  await page.getByRole("button", { name: "Change" }).first().click();
  await page.getByRole("menuitem", { name: "It feeds something else" }).click();
  await page.getByRole("combobox", { name: "Search for the other end" }).fill("orders");
  await page.getByRole("option").first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Add the edge" }).click();
  await expect(page.getByRole("alert")).toContainText("An edge cannot lead to where it begins");
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();

  const edges = `${server.url}/api/v2/edits/edges?name=dataset:lake:orders`;
  const before = (await (await fetch(edges)).json()) as { items: { target: string; via: string; reason: string }[] };
  expect(before.items.map(({ target, via, reason }) => [target, via, reason])).toEqual([
    ["dataset:lake:mart", "UI", "seen in a script"],
  ]);

  const [from, to] = await Promise.all(
    ["orders", "mart"].map(async (name) => {
      const shown = await fetch(`${server.url}/api/v2/show?name=dataset:lake:${name}`);
      return ((await shown.json()) as { key: string }).key;
    }),
  );
  const pick = encodeURIComponent(`${from}>${to}`);
  await page.goto(`/lineage?id=${encodeURIComponent("dataset:lake:orders")}&pick=${pick}`);
  const panel = page.getByRole("complementary", { name: "Explanation" });
  await expect(panel.getByText("seen in a script")).toBeVisible();
  await look(page, "edge-by-hand");
  const history = panel.getByRole("list", { name: "History" });
  await expect(history).toContainText("single user: seen in a script");
  await expect(history.getByRole("button", { name: "Take back" })).toBeVisible();
  await panel.getByRole("button", { name: "Remove the edge" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("Saved").first()).toBeVisible();
  const after = (await (await fetch(edges)).json()) as { items: unknown[] };
  expect(after.items).toEqual([]);
});

test("an edge is drawn from a handle; what the rules forbid says why", async ({ page, server }) => {
  await server.send(run(3, ["invoices", "payments"], ["balance"]));
  const made = await fetch(`${server.url}/api/v2/edits/create`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "chart:looker:totals", title: "Totals" }),
  });
  expect(made.ok, await made.text()).toBe(true);
  await server.headwater("edit", "add", "dataset:lake:balance", "chart:looker:totals");
  await page.goto(`/lineage?id=${encodeURIComponent("dataset:lake:balance")}&map=false`);
  await settled(page);
  const card = (title: RegExp) => page.getByRole("article").filter({ has: page.getByRole("button", { name: title }) });
  const middleOf = async (title: RegExp) => {
    const box = await card(title).boundingBox();
    if (!box) throw new Error(`no card ${title}`);
    return [box.x + box.width / 2, box.y + 20] as const;
  };
  const takeHandle = async (title: RegExp) => {
    await card(title).hover();
    const handle = card(title).getByRole("button", { name: /Draw an edge from/ });
    const box = await handle.boundingBox();
    if (!box) throw new Error("no handle");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
  };

  // A chart feeds charts and dashboards, not tables.
  await takeHandle(/^Chart/);
  await page.mouse.move(...(await middleOf(/invoices/)), { steps: 5 });
  const hint = page.getByRole("status").filter({ hasText: /fed only by/ });
  await expect(hint).toHaveText("A dataset can be fed only by datasets and jobs.");
  await look(page, "edge-refused");
  await page.mouse.up();
  await expect(page.getByRole("dialog")).toHaveCount(0);

  // Esc leaves, and nothing else.
  await takeHandle(/invoices/);
  await expect(page.getByText(/Let go over what invoices feeds/)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText(/Let go over what invoices feeds/)).toHaveCount(0);
  await page.mouse.up();
  await expect(page.getByRole("dialog")).toHaveCount(0);

  await takeHandle(/invoices/);
  await page.mouse.move(...(await middleOf(/payments/)), { steps: 5 });
  await expect(page.getByText("Let go, and invoices feeds payments.")).toBeVisible();
  await look(page, "edge-drawn");
  await page.mouse.move(...(await middleOf(/payments/)));
  await page.mouse.up();
  await page.getByRole("textbox", { name: /Why/ }).fill("drawn");
  await page.getByRole("dialog").getByRole("button", { name: "Add the edge" }).click();
  await expect(page.getByText("Saved")).toBeVisible();
  const known = await fetch(`${server.url}/api/v2/edits/edges?name=dataset:lake:invoices`);
  const { items } = (await known.json()) as { items: { target: string; via: string; reason: string }[] };
  expect(items.map(({ target, via, reason }) => [target, via, reason])).toEqual([
    ["dataset:lake:payments", "UI", "drawn"],
  ]);

  // A click on a handle, and the key l, search for the other end instead.
  await card(/balance/).hover();
  await card(/balance/)
    .getByRole("button", { name: /Draw an edge from/ })
    .click();
  await expect(page.getByRole("combobox", { name: "Search for the other end" })).toBeFocused();
  await page.keyboard.press("Escape");
  await card(/balance/)
    .getByRole("button", { name: /^Dataset balance/ })
    .click();
  await page.keyboard.press("l");
  await expect(page.getByRole("combobox", { name: "Search for the other end" })).toBeVisible();
});

test("an edge between columns is drawn from the handle of a column, explained, and removed", async ({
  page,
  server,
  allowed,
}) => {
  const table4 = (name: string) => ({ namespace: "lake", name, facets: { schema: { fields: [{ name: "amount" }] } } });
  await server.send({ ...run(4, [], []), inputs: [table4("bills")], outputs: [table4("ledger")] });
  await page.goto(`/lineage?id=${encodeURIComponent("dataset:lake:bills")}&by=column&map=false`);
  await settled(page);
  const rowOf = (title: RegExp) =>
    page
      .getByRole("article")
      .filter({ has: page.getByRole("button", { name: title }) })
      .getByRole("listitem");
  await rowOf(/bills/).hover();
  const handle = await rowOf(/bills/)
    .getByRole("button", { name: /Draw an edge from bills.amount/ })
    .boundingBox();
  const target = await rowOf(/ledger/).boundingBox();
  if (!handle || !target) throw new Error("nothing to draw");
  await page.mouse.move(handle.x + handle.width / 2, handle.y + handle.height / 2);
  await page.mouse.down();
  await page.mouse.move(target.x + 40, target.y + target.height / 2, { steps: 5 });
  await expect(page.getByText("Let go, and bills.amount feeds ledger.amount.")).toBeVisible();
  await page.mouse.up();
  await page.getByRole("textbox", { name: /Why/ }).fill("copied by a script");
  await page.getByRole("dialog").getByRole("button", { name: "Add the edge" }).click();
  await expect(page.getByText("Saved")).toBeVisible();
  const edges = `${server.url}/api/v2/edits/edges?name=dataset:lake:ledger`;
  const known = async () =>
    ((await (await fetch(edges)).json()) as { items: { source: string; target: string }[] }).items;
  expect((await known()).map(({ source, target: to }) => [source, to])).toEqual([
    ["dataset:lake:bills#amount", "dataset:lake:ledger#amount"],
  ]);

  // Its line has the sign of what was made by hand; a click explains it, and offers to remove it.
  const line = page.locator('[data-line*="#amount"]').first();
  await expect(line).toBeAttached();
  await look(page, "edge-of-columns");
  await line.locator("path").nth(1).dispatchEvent("click");
  const panel = page.getByRole("complementary", { name: "Explanation" });
  await expect(panel.getByText("copied by a script")).toBeVisible();
  allowed.push(/404/);
  await panel.getByRole("button", { name: "Remove the edge" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect.poll(known).toEqual([]);
});

test("a dashboard that no tool reports is made, and its page opens", async ({ page, server }) => {
  await page.goto("/edits");
  await page.getByRole("button", { name: "New chart or dashboard" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Make it" })).toBeDisabled();
  await dialog.getByLabel("Tool, such as looker").fill("looker");
  await dialog.getByLabel("Its id in the tool").fill("sales");
  await dialog.getByLabel("Title").fill("Sales by day");
  await dialog.getByLabel("Owners, with commas between them").fill("ann, bob");
  await look(page, "dashboard-new");
  await dialog.getByRole("button", { name: "Make it" }).click();
  await expect(page).toHaveURL(/\/dataset\?id=dataset.*dashboard\.sales/);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Sales by day");
  await look(page, "dashboard-made");
  const shown = await fetch(`${server.url}/api/v2/show?name=${encodeURIComponent("dashboard:looker:sales")}`);
  expect(await shown.json()).toMatchObject({ owners: ["ann", "bob"] });
});
