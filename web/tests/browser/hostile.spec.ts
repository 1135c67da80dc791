import { expect, look, test } from "./test";

test.use({ world: "empty" });

const LONG = `long_${"x".repeat(4990)}`;
const HTML = '<img src=x onerror="document.title=1">';
const TURNED = "orders\u202Egnp.exe";

function event(name: string, second: number): object {
  const fields = [HTML, TURNED, LONG].map((column) => ({ name: column, type: HTML, description: HTML }));
  return {
    eventTime: `2026-02-01T00:00:${String(second).padStart(2, "0")}Z`,
    eventType: second % 2 ? "COMPLETE" : "FAIL",
    run: {
      runId: `0190c0de-0000-7000-8000-0000000000${String(second).padStart(2, "0")}`,
      facets: { errorMessage: { message: HTML.repeat(200), programmingLanguage: "x" } },
    },
    job: {
      namespace: HTML,
      name,
      facets: { sql: { query: `select 1 -- ${HTML}` }, documentation: { description: HTML } },
    },
    inputs: [],
    outputs: [
      { namespace: `s3://${HTML}`, name, facets: { schema: { fields }, documentation: { description: LONG } } },
    ],
  };
}

test.beforeAll(async ({ server }) => {
  await server.send(...[HTML, TURNED, LONG].flatMap((name, at) => [event(name, 2 * at + 1), event(name, 2 * at + 2)]));
});

test("hostile names are text and nothing else, on every page of things", async ({ page, server }) => {
  test.slow();
  for (const [list, path] of [
    ["datasets", "/dataset"],
    ["jobs", "/job"],
    ["runs", "/run"],
  ] as const) {
    const answer = await fetch(`${server.url}/api/v2/${list}`);
    const { items } = (await answer.json()) as { items: { id: string; key: string }[] };
    expect(items.length).toBeGreaterThan(2);
    for (const [place, { id, key }] of items.slice(0, 4).entries()) {
      await page.goto(`${path}?id=${encodeURIComponent(id.length > 2000 ? key : id)}`);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      if (place === 0) await look(page, `hostile-${list}`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
        0,
      );
      expect(await page.locator("main img").count()).toBe(0);
      expect(await page.title()).toContain("Headwater");
    }
  }
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await look(page, "hostile-home");
});
