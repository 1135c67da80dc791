import { createServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, expectAccessible, look, settled, test } from "./test";

const LAKE = "gravitino://tenant/1/lake/hive";

/** An event as Gravitino's listener sends it. */
function event(operation: string, name: string, facets: object, namespace = LAKE): object {
  return {
    eventTime: "2026-03-01T00:00:00.123Z",
    eventType: "COMPLETE",
    producer: "https://github.com/apache/gravitino/openlineage-listener",
    run: { runId: "00000000-0000-4000-8000-000000000000" },
    job: { namespace: "gravitino://tenant/1", name: `gravitino.${operation}` },
    inputs: [],
    outputs: [{ namespace, name, facets }],
  };
}
const values = (given: Record<string, string>) => ({
  schema: { fields: Object.entries(given).map(([name, description]) => ({ name, type: "STRING", description })) },
});
const TABLE = event("create_table", "sales.orders", {
  schema: {
    fields: [
      { name: "id", type: "long" },
      { name: "amount", type: "decimal(10,2)", description: "net" },
    ],
  },
  gravitino: { tenantId: 1, description: "all orders", properties: { format: "orc" } },
});
const METRIC = event(
  "register_metric",
  "sales.GMV",
  values({
    code: "GMV",
    name: "Gross value",
    metricType: "ATOMIC",
    calculationFormula: "sum(amount) where id > 0",
    refCatalogName: "hive",
    refSchemaName: "sales",
    refTableName: "orders",
    measureColumns: '[{"name":"amount"}]',
    filterColumns: '[{"name":"id"}]',
  }),
);
const RATIO = event(
  "register_metric",
  "sales.RATIO",
  values({ code: "RATIO", metricType: "COMPOSITE", calculationFormula: "GMV / 2", parentMetricCodes: "GMV" }),
);
const BY_NUMBER = event(
  "register_metric",
  "sales.COUNT",
  values({ code: "COUNT", metricType: "ATOMIC", measureColumns: "[123]" }),
);
const TAG = event("create_tag", "pii", values({ name: "pii" }), "gravitino://lake");

test("the tree leads to a metric with its formula and columns, and a column to the metrics that need it", async ({
  page,
  server,
}) => {
  await server.send(TABLE, METRIC, RATIO, BY_NUMBER, TAG);
  await page.goto("/");
  await page.getByRole("navigation").getByRole("link", { name: "Assets" }).click();
  const tree = page.getByRole("list", { name: "Assets as a tree" });
  for (const name of [/hive$/, "sales", "orders"]) {
    const fold = tree.getByRole("button", { name: typeof name === "string" ? `Unfold ${name}` : name });
    await fold.click();
  }
  await tree.getByRole("button", { name: "Unfold Tags" }).click();
  await expect(tree.getByRole("link", { name: "Tag pii" })).toBeVisible();
  await tree.getByRole("link", { name: "Atomic metric Gross value" }).click();
  const shown = page.getByRole("article");
  const formula = shown.getByRole("region", { name: "How it is worked out" });
  await expect(formula).toContainText("sum(amount) where id > 0");
  await expect(formula.getByRole("link", { name: "Column amount" })).toBeVisible();
  await expect(formula.getByRole("link", { name: "Column id" })).toBeVisible();
  await expect(shown.getByRole("region", { name: "Metrics computed from it" })).toContainText("RATIO");
  await look(page, "assets");

  await formula.getByRole("link", { name: "Column amount" }).click();
  await expect(shown.getByRole("region", { name: "Metrics that break without it" })).toContainText("RATIO");
  await expect(shown).toContainText("decimal(10,2)");
  await page.goBack();
  await expect(formula).toContainText("sum(amount)");
  await tree.getByRole("link", { name: "Table orders" }).click();
  await expect(shown).toContainText("format");
  await shown.getByRole("link", { name: "Lineage" }).click();
  await expect(page).toHaveURL(/\/dataset\?id=dataset/);
  await settled(page);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("orders");
});

test("assets are found by text and kind, and the address keeps both", async ({ page }) => {
  await page.goto("/catalog");
  await page.getByLabel("Search by name or id").fill("amount");
  const found = page.getByRole("list", { name: "Assets that fit" });
  await expect(found.getByRole("listitem")).toHaveCount(1);
  await expect(page).toHaveURL(/q=amount/);
  await page.reload();
  await expect(found).toContainText("amount");
  await page.getByLabel("Search by name or id").fill("no such thing");
  await expect(found).toContainText("No asset fits.");
  await page.getByLabel("Search by name or id").fill("");
  await page.getByLabel("Kind").selectOption("AtomicMetric");
  await expect(found.getByRole("listitem")).toHaveCount(2);
  await found.getByRole("link", { name: "COUNT" }).click();
  await expect(page.getByRole("article")).toContainText("Columns by number");
  await expect(page.getByRole("article")).toContainText("123");
  await expectAccessible(page);
});

test("what does not exist is said", async ({ page, allowed }) => {
  allowed.push(/404/);
  await page.goto("/catalog?id=gravitino://lake/hive:sales.none");
  await expect(page.getByRole("alert")).toContainText("none");
});

/** Gravitino's REST API with one empty catalog; it answers when `open` says so. */
async function gravitino(open: () => Promise<void>): Promise<HttpServer> {
  const server = createServer((asked, answer) => {
    void open().then(() => {
      const path = new URL(asked.url ?? "", "http://x").pathname;
      const found = path.endsWith("/catalogs")
        ? { code: 0, catalogs: [{ name: "hive", type: "relational", provider: "hive" }] }
        : path.endsWith("/schemas")
          ? { code: 0, identifiers: [] }
          : null;
      answer.writeHead(found ? 200 : 404, { "content-type": "application/json" });
      answer.end(JSON.stringify(found ?? { code: 1003 }));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return server;
}

test("a full reading is begun by a button, and its state and end are seen", async ({ page, server }) => {
  test.setTimeout(400_000); // a process of its own is started for it
  let release = () => {};
  const opened = new Promise<void>((done) => (release = done));
  const catalog = await gravitino(() => opened);
  try {
    const url = `http://127.0.0.1:${(catalog.address() as AddressInfo).port}`;
    await server.headwater("tenant", "source", "default", "--metalake", "lake", "--gravitino", url);
    await page.goto("/catalog");
    const sync = page.getByRole("region", { name: "Full reading" });
    await expect(sync).toContainText("waits for a reading");
    await sync.getByRole("button", { name: "Read lake as a whole" }).click();
    await expect(sync).toContainText("being read", { timeout: 120_000 });
    await expectAccessible(page);
    release();
    await expect(sync).toContainText("ready", { timeout: 120_000 });
    await expect(sync).toContainText("counts from");
    await page.getByRole("button", { name: /hive$/ }).click();
    await expect(page.getByText("Nothing is in it.")).toBeVisible(); // the table was dropped since
  } finally {
    release();
    catalog.close();
  }
});
